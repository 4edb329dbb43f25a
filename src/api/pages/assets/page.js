// Makes pages more convenient. Every page is complete without this script.
'use strict'

// The part of a page that is updated, as it was received.
const live = document.querySelector('[data-live]')
const received = live?.innerHTML

// Copies the code beside a button. Browsers offer a clipboard only on HTTPS and on localhost.
const copy = async (text) => {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}
for (const button of document.querySelectorAll('button.copy')) {
  button.hidden = false
  button.addEventListener('click', async () => {
    await copy(button.parentElement.querySelector('code').textContent)
    button.textContent = 'Copied'
    button.focus()
  })
}

// The key / leads to the search field.
addEventListener('keydown', (event) => {
  const isTyping = event.target.closest?.('input, select, textarea') !== null
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  const field = document.querySelector('form.search input')
  if (field === null) return
  event.preventDefault()
  field.focus()
})

// Shows how long ago times are; their titles are exact.
const ages = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
]
const showAges = () => {
  for (const time of document.querySelectorAll('time.ago')) {
    const seconds = (Date.now() - Date.parse(time.dateTime)) / 1000
    const [length, unit] = ages.find(([each]) => seconds >= 2 * each) ?? [1, 's']
    if (seconds >= 0) time.textContent = `${Math.floor(seconds / length)} ${unit} ago`
  }
}
showAges()
setInterval(showAges, 10_000)

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
if (live !== null) {
  const pollMs = 10_000
  const note = document.createElement('p')
  note.className = 'quiet live'
  live.after(note)
  const say = (text) => (note.textContent = `${text} ${new Date().toISOString().slice(11, 19)} UTC`)
  let tag = ''
  let shown = received
  // Elements with names that stay when others come before them: of texts all but their numbers.
  const named = (selector) => {
    const times = new Map()
    return [...live.querySelectorAll(selector)].map((each) => {
      const words = each.querySelector('summary') ?? each
      const name =
        each.id ||
        each.parentElement.id ||
        each.getAttribute('href') ||
        each.getAttribute('aria-label') ||
        words.textContent.replace(/\d+/g, '')
      times.set(name, (times.get(name) ?? 0) + 1)
      return [`${name} ${times.get(name)}`, each]
    })
  }
  // Replaces the content. Open parts stay open, and the focus stays where it is.
  const show = (next) => {
    if (next.innerHTML === shown) return
    shown = next.innerHTML
    const open = new Map(named('details').map(([name, each]) => [name, each.open]))
    const focusable = 'a, summary, [tabindex]'
    const [focused] = named(focusable).find(([, each]) => each === document.activeElement) ?? []
    live.replaceChildren(...next.childNodes)
    showAges()
    for (const [name, each] of named('details')) each.open = open.get(name) ?? each.open
    const found = named(focusable).find(([name]) => name === focused)
    found?.[1].focus({ preventScroll: true })
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
