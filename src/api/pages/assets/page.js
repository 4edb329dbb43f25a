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

// Updates the part of the page that shows a changing state. The attribute of this part is a URL of
// the change feed: its response arrives when a file changes, or after 50 seconds. If the attribute
// is empty, and for a minute after a failed request of the feed, the page is fetched every five
// seconds. Hidden pages are not updated.
const live = document.querySelector('[data-live]')
if (live !== null) {
  const pollMs = 5000
  // Milliseconds between a change and the request for the page, because the states of the network
  // may be a little older than the feed.
  const reloadDelayMs = 1500
  const retryMs = 60_000
  const note = document.createElement('p')
  note.className = 'note live'
  live.before(note)
  let waiting = new AbortController()
  let pollUntil = 0
  let leaveHidden = () => {}
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) waiting.abort()
    else leaveHidden()
  })
  const delay = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
  const get = async (address, signal) => {
    const response = await fetch(address, { headers: { accept: 'text/html' }, signal })
    if (!response.ok) throw new Error(`status ${response.status}`)
    return response.text()
  }
  const untilChanged = async () => {
    const address = live.dataset.live
    if (address === '' || Date.now() < pollUntil) return delay(pollMs)
    waiting = new AbortController()
    try {
      await get(address, waiting.signal)
      await delay(reloadDelayMs)
    } catch {
      if (!document.hidden) pollUntil = Date.now() + retryMs
    }
  }
  let shown = live.innerHTML
  // Replaces the content. Open parts stay open, and the focus stays where it is.
  const show = (next) => {
    live.dataset.live = next.dataset.live
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
    const time = `${new Date().toISOString().slice(11, 19)} UTC`
    try {
      // An unchanged page is answered with 304.
      const page = new DOMParser().parseFromString(await get(location.href), 'text/html')
      const next = page.querySelector('[data-live]')
      if (next !== null) show(next)
      note.textContent = `Live, checked at ${time}`
    } catch {
      note.textContent = `Not updated: no answer at ${time}`
      await delay(pollMs)
    }
  }
  const follow = async () => {
    for (;;) {
      if (document.hidden) await new Promise((resolve) => (leaveHidden = resolve))
      else await untilChanged()
      if (!document.hidden) await refresh()
    }
  }
  follow()
}
