/**
 * The frame of the reference page, the error pages and the docs pages. They are rendered on the server, without scripts and without
 * resources from other origins, so that they work under the strictest Content-Security-Policy:
 * `default-src 'none'; style-src 'self'; img-src 'self'`.
 */
import { type Html, html } from './html.ts'

export function pageLayout({
  title,
  contentsLabel = 'On this page',
  contents,
  main,
}: {
  title: string
  contentsLabel?: string
  /** The list of links in the navigation. Its id has to be `contents`. */
  contents: Html
  main: Html
}): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="#faf8f3" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="#161513" media="(prefers-color-scheme: dark)">
<title>${title} · Colophon</title>
<link rel="icon" type="image/svg+xml" href="/favicon.svg">
<link rel="stylesheet" href="/reference.css">
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<div class="side">
<header>
<a class="wordmark" href="/">${mark}Colophon</a>
<a class="to-contents" href="#contents">Contents</a>
</header>
<nav aria-label="Contents">
<details class="contents">
<summary>${contentsLabel}</summary>
${contents}
</details>
</nav>
</div>
<main id="content" tabindex="-1">
${main}
</main>
</body>
</html>
`.text
}

/** The colophon of a book was set in lines that taper to a point. */
const mark = html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M3 3h18M3 7.5h18M6 12h12M9 16.5h6M12 21h.01"/></svg>`
