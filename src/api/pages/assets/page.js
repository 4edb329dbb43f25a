// Makes pages more convenient. Every page is complete without this script.
'use strict'

for (const button of document.querySelectorAll('button.copy')) {
  if (navigator.clipboard === undefined) continue
  button.hidden = false
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.parentElement.querySelector('code').textContent)
    button.textContent = 'Copied'
  })
}

// Leaves empty fields out of the URL.
for (const form of document.querySelectorAll('form[method="get"]')) {
  form.addEventListener('submit', () => {
    for (const field of form.elements) if (field.value === '') field.disabled = true
  })
}
addEventListener('pageshow', () => {
  for (const field of document.querySelectorAll('form [disabled]')) field.disabled = false
})

// Updates the part of a page that shows a changing state: fetches the page every ten seconds while
// it is visible. The server answers an unchanged page with 304.
const live = document.querySelector('[data-live]')
if (live !== null) {
  const pollMs = 10_000
  const note = document.createElement('p')
  note.className = 'note live'
  live.before(note)
  const say = (text) => (note.textContent = `${text} ${new Date().toISOString().slice(11, 19)} UTC`)
  let tag = ''
  let shown = live.innerHTML
  // Replaces the content. Open parts stay open, and the focus stays where it is.
  const show = (next) => {
    if (next.innerHTML === shown) return
    shown = next.innerHTML
    const all = (selector) => [...live.querySelectorAll(selector)]
    const open = all('details').map((each) => each.open)
    const focusable = 'a, summary, [tabindex]'
    const focused = all(focusable).indexOf(document.activeElement)
    live.replaceChildren(...next.childNodes)
    for (const [index, each] of all('details').entries()) each.open = open[index] ?? false
    if (focused >= 0) all(focusable)[focused]?.focus({ preventScroll: true })
  }
  const refresh = async () => {
    try {
      const headers = { accept: 'text/html', ...(tag !== '' && { 'if-none-match': tag }) }
      const response = await fetch(location.href, { headers, cache: 'no-store' })
      if (response.status !== 304) {
        if (!response.ok) throw new Error(`status ${response.status}`)
        const page = new DOMParser().parseFromString(await response.text(), 'text/html')
        const next = page.querySelector('[data-live]')
        if (next !== null) show(next)
        tag = response.headers.get('etag') ?? ''
      }
      say('Live, checked every ten seconds, last at')
    } catch {
      say('Not updated: no answer at')
    }
  }
  let timer
  const follow = async () => {
    clearTimeout(timer)
    if (document.hidden) return
    await refresh()
    clearTimeout(timer)
    timer = setTimeout(follow, pollMs)
  }
  say('Live, checked every ten seconds, loaded at')
  timer = setTimeout(follow, pollMs)
  document.addEventListener('visibilitychange', follow)
}
