/**
 * The layout of all HTML pages, and the template engine. Templates are strings in the source, so they need no build step. Output
 * of `<%=` is escaped.
 */
import { Eta } from 'eta/core'

const layout = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title><%= it.title %> – RINEX file catalogue</title>
<link rel="stylesheet" href="<%= it.up %>../assets/page.css">
<link rel="icon" type="image/svg+xml" href="<%= it.up %>../assets/icon.svg">
<link rel="alternate" type="application/json" href="<%= it.json %>">
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header>
<p class="service">RINEX file catalogue</p>
<nav aria-label="Resources">
<ul>
<li><a href="<%= it.up %>./?format=api">API root</a></li>
<li><a href="<%= it.up %>rinex-file/?format=api">Files</a></li>
<li><a href="<%= it.up %>station/?format=api">Stations</a></li>
<li><a href="<%= it.up %>changes/?format=api">Changes</a></li>
<li><a href="<%= it.up %>status/?format=api">Status</a></li>
<li><a href="<%= it.up %>docs/?format=api">Reference</a></li>
</ul>
</nav>
</header>
<main id="main">
<h1><%= it.title %></h1>
<%~ it.body %>
</main>
<footer>
<p><a href="<%= it.json %>">This page as JSON</a></p>
</footer>
</body>
</html>
`

const eta = new Eta({ autoTrim: false })
eta.loadTemplate('@layout', layout)

export interface PageFrame {
  readonly title: string
  /** Relative path from the page to the API root: `../` for a resource. */
  readonly up: string
  /** Relative URL of the same page as JSON. */
  readonly json: string
}

/** Registers a partial: templates include it as `@name`. */
export function partial(name: string, template: string): void {
  eta.loadTemplate(`@${name}`, template)
}

/** Compiles a template under a unique name. Returns the function that renders it in the layout. */
export function page(name: string, template: string): (frame: PageFrame, data: object) => string {
  eta.loadTemplate(`@${name}`, template)
  return (frame, data) => {
    const body = eta.render(`@${name}`, data)
    return eta.render('@layout', { ...frame, body })
  }
}
