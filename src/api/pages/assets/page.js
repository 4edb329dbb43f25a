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
