// Makes pages more convenient. Every page is complete without it.
'use strict'

for (const button of document.querySelectorAll('button.copy')) {
  if (navigator.clipboard === undefined) continue
  button.hidden = false
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.parentElement.querySelector('code').textContent)
    button.textContent = 'Copied'
  })
}

// Empty fields are not part of the address.
for (const form of document.querySelectorAll('form[method="get"]')) {
  form.addEventListener('submit', () => {
    for (const field of form.elements) if (field.value === '') field.disabled = true
  })
}
addEventListener('pageshow', () => {
  for (const field of document.querySelectorAll('form [disabled]')) field.disabled = false
})

// A part of the page that shows a changing state is fetched again while it is visible; an unchanged one is answered with 304.
const live = document.querySelector('[data-live]')
if (live !== null) {
  const refreshMs = 5000
  const note = document.createElement('p')
  note.className = 'note'
  live.before(note)
  const refresh = async () => {
    const response = await fetch(location.href, { headers: { accept: 'text/html' } })
    if (!response.ok) throw new Error(`status ${response.status}`)
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const next = page.querySelector('[data-live]')
    if (next !== null && next.innerHTML !== live.innerHTML) {
      live.replaceChildren(...next.childNodes)
    }
  }
  const tick = async () => {
    if (!document.hidden) {
      const time = `${new Date().toISOString().slice(11, 19)} UTC`
      try {
        await refresh()
        note.textContent = `Live, checked at ${time}`
      } catch {
        note.textContent = `Not updated: no answer at ${time}`
      }
    }
    setTimeout(tick, refreshMs)
  }
  setTimeout(tick, refreshMs)
}
