/** Served as /reference.css. Colors and fonts are those of the dashboard. */
export const referenceStylesheet = `:root {
  color-scheme: light dark;
  --paper: #faf8f3;
  --sheet: #fffefb;
  --rule: #e4dfd4;
  --ink: #211e1a;
  --soft-ink: #6a6459;
  --rubric: #a83e26;
  --good: #2c7a4b;
  --poor: #8a5f07;
  --bad: #b3302a;
  --serif: "Iowan Old Style", "Palatino Linotype", Palatino, "Book Antiqua", ui-serif, Georgia, serif;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "Liberation Mono", monospace;
  --bar: 3.25rem;
}

@media (prefers-color-scheme: dark) {
  :root {
    --paper: #161513;
    --sheet: #1e1c1a;
    --rule: #35322d;
    --ink: #ece7dd;
    --soft-ink: #a39c8f;
    --rubric: #e58a6f;
    --good: #6cc18d;
    --poor: #e0b14f;
    --bad: #f08a80;
  }
}

* {
  box-sizing: border-box;
  margin: 0;
}

html {
  scroll-padding-top: calc(var(--bar) + 1rem);
}

body {
  background: var(--paper);
  color: var(--ink);
  font: 1rem / 1.6 var(--sans);
  -webkit-text-size-adjust: 100%;
}

a {
  color: var(--rubric);
  text-underline-offset: 0.2em;
  text-decoration-thickness: 1px;
}

:focus-visible {
  outline: 2px solid var(--rubric);
  outline-offset: 2px;
  border-radius: 0.125rem;
}

main:focus {
  outline: none;
}

code,
pre {
  font-family: var(--mono);
  font-size: 0.875em;
}

.skip {
  position: fixed;
  z-index: 2;
  top: 0.5rem;
  left: 0.5rem;
  padding: 0.5rem 1rem;
  background: var(--sheet);
  transform: translateY(-200%);
}

.skip:focus {
  transform: none;
}

.unseen {
  position: absolute;
  width: 1px;
  height: 1px;
  overflow: hidden;
  clip-path: inset(50%);
  white-space: nowrap;
}

/* The navigation: a sticky bar and a collapsible list on small screens, a column on large ones. */

.side {
  display: contents;
}

header {
  position: sticky;
  z-index: 1;
  top: 0;
  display: flex;
  align-items: center;
  justify-content: space-between;
  height: var(--bar);
  padding-inline: clamp(1.25rem, 5vw, 2.5rem);
  background: var(--paper);
  border-bottom: 1px solid var(--rule);
}

.wordmark {
  display: flex;
  align-items: center;
  gap: 0.5rem;
  color: var(--ink);
  font: 400 1.375rem / 1.1 var(--serif);
  letter-spacing: -0.01em;
  text-decoration: none;
}

.wordmark svg {
  width: 1.125rem;
  height: 1.125rem;
  fill: none;
  stroke: var(--rubric);
  stroke-width: 1.75;
  stroke-linecap: round;
}

.to-contents {
  padding: 0.5rem 0;
  font-size: 0.9375rem;
  text-decoration: none;
}

.contents {
  padding: 0.25rem clamp(1.25rem, 5vw, 2.5rem);
  border-bottom: 1px solid var(--rule);
}

.contents summary {
  padding-block: 0.625rem;
  font-weight: 600;
  cursor: pointer;
}

.contents ul {
  padding: 0;
  list-style: none;
}

#contents {
  padding-bottom: 1rem;
  scroll-margin-top: 3rem;
}

#contents > li {
  margin-bottom: 0.75rem;
}

#contents a {
  display: flex;
  align-items: baseline;
  justify-content: space-between;
  gap: 0.75rem;
  padding-block: 0.375rem;
  color: var(--soft-ink);
  font-size: 0.9375rem;
  line-height: 1.4;
  text-decoration: none;
}

#contents > li > a {
  color: var(--ink);
  font-weight: 600;
}

#contents a:hover {
  color: var(--rubric);
}

#contents .method {
  flex: none;
  font-size: 0.6875rem;
}

/* Text */

main {
  padding: 2.5rem clamp(1.25rem, 5vw, 2.5rem) 6rem;
}

main p {
  max-width: 40rem;
  text-wrap: pretty;
}

main p + p {
  margin-top: 0.75rem;
}

h1 {
  overflow-wrap: anywhere;
  font: 400 2.25rem / 1.15 var(--serif);
  letter-spacing: -0.015em;
}

h2 {
  margin: 4rem 0 1rem;
  padding-top: 1.5rem;
  font: 400 1.75rem / 1.2 var(--serif);
  letter-spacing: -0.01em;
  border-top: 1px solid var(--rule);
}

h3 {
  margin: 3.5rem 0 0.5rem;
  font: 600 1.1875rem / 1.35 var(--sans);
}

h2 + .operation h3,
h2 + .schema h3 {
  margin-top: 2rem;
}

h4 {
  margin: 2rem 0 0.5rem;
  font: 600 0.9375rem / 1.4 var(--sans);
}

h2 a,
h3 a {
  color: inherit;
  text-decoration: none;
}

h2 a:hover::after,
h3 a:hover::after {
  color: var(--rubric);
  content: " #";
}

:target > a {
  color: var(--rubric);
}

.version {
  margin-top: 0.5rem;
  color: var(--soft-ink);
  font-size: 0.9375rem;
}

.lead {
  margin-top: 1.5rem;
  font: 400 clamp(1.125rem, 1rem + 0.5vw, 1.25rem) / 1.55 var(--serif);
}

.lead code {
  font-size: 0.8125em;
}

main p code,
.description code,
.limits code {
  padding: 0.0625rem 0.25rem;
  background: var(--sheet);
  border-radius: 0.25rem;
  box-shadow: inset 0 0 0 1px var(--rule);
  overflow-wrap: anywhere;
  box-decoration-break: clone;
  -webkit-box-decoration-break: clone;
}

main .route {
  max-width: none;
}

.route code,
main .route code {
  padding: 0;
  font-size: 0.9375rem;
  background: none;
  box-shadow: none;
}

.method {
  color: var(--soft-ink);
  font: 600 0.8125rem / 1.4 var(--mono);
  letter-spacing: 0.02em;
}

.method[data-method="GET"] {
  color: var(--good);
}
.method[data-method="POST"] {
  color: var(--rubric);
}
.method[data-method="PUT"],
.method[data-method="PATCH"] {
  color: var(--poor);
}
.method[data-method="DELETE"] {
  color: var(--bad);
}

main .access {
  margin: 0.375rem 0 1rem;
  font-size: 0.9375rem;
}

.label {
  margin-right: 0.5rem;
  color: var(--soft-ink);
}

.deprecated {
  margin-left: 0.5rem;
  color: var(--bad);
  font-weight: 600;
}

.response {
  margin-top: 0.75rem;
}

.example {
  margin-top: 0.75rem;
}

.example summary {
  color: var(--soft-ink);
  font-size: 0.9375rem;
  cursor: pointer;
}

.example pre {
  margin-top: 0.5rem;
}

.status {
  margin-right: 0.375rem;
  font-weight: 600;
  font-variant-numeric: tabular-nums;
}

main .media {
  margin-top: 0.375rem;
  color: var(--soft-ink);
  font-size: 0.9375rem;
}

main table + .media {
  margin-top: 1.25rem;
}

main .media code {
  margin-right: 0.375rem;
  padding: 0;
  color: var(--soft-ink);
  background: none;
  box-shadow: none;
}

h4 .optional {
  color: var(--soft-ink);
  font-weight: 400;
}

pre {
  padding: 1rem 1.25rem;
  overflow-x: auto;
  line-height: 1.6;
  background: var(--sheet);
  border: 1px solid var(--rule);
  border-radius: 0.5rem;
  tab-size: 2;
}

pre code {
  font-size: 0.8125rem;
}

main p + pre {
  margin-top: 1rem;
}

/* Tables: rows of blocks on small screens, columns on large ones. */

table {
  display: block;
  width: 100%;
  margin-top: 0.75rem;
  font-size: 0.9375rem;
  line-height: 1.5;
  border-collapse: collapse;
}

tbody,
tr,
th,
td {
  display: block;
  text-align: left;
}

thead {
  position: absolute;
  width: 1px;
  height: 1px;
  overflow: hidden;
  clip-path: inset(50%);
}

tr {
  padding-block: 0.625rem;
  border-top: 1px solid var(--rule);
}

tbody tr:last-child {
  border-bottom: 1px solid var(--rule);
}

th {
  font-weight: 600;
  overflow-wrap: anywhere;
}

td:empty {
  display: none;
}

.errors th {
  font-weight: 400;
  font-variant-numeric: tabular-nums;
}

.errors tr {
  padding-block: 0.375rem;
}

.codes tr {
  display: grid;
  grid-template-columns: 1fr auto;
}

.codes .description {
  grid-column: 1 / -1;
}

.fields tr {
  display: grid;
  grid-template: "name required" "type type" "description description" / 1fr auto;
  column-gap: 1rem;
}

.fields .type {
  grid-area: type;
}

.fields .description {
  grid-area: description;
  margin-top: 0.125rem;
}

.fields .required,
.fields .optional {
  grid-area: required;
  color: var(--soft-ink);
}

.fields .required {
  color: var(--ink);
}

.type,
.location,
.limits {
  color: var(--soft-ink);
}

.type code {
  color: var(--ink);
  overflow-wrap: anywhere;
}

.location {
  font-weight: 400;
  font-size: 0.8125rem;
}

.limits {
  display: block;
  font-size: 0.875rem;
}

/* Pages of the documentation */

.prose > * + * {
  margin-top: 1rem;
}

.prose > h2 {
  margin-top: 3rem;
}

.prose > h3 {
  margin-top: 2.25rem;
}

.prose :is(ul, ol) {
  max-width: 40rem;
  padding-left: 1.5rem;
}

.prose li + li,
.prose li > :is(ul, ol, p + p, pre) {
  margin-top: 0.375rem;
}

.prose blockquote {
  padding-left: 1rem;
  border-left: 2px solid var(--rule);
}

.prose hr {
  border: 0;
  border-top: 1px solid var(--rule);
}

.prose img {
  max-width: 100%;
  height: auto;
  border: 1px solid var(--rule);
  border-radius: 0.5rem;
}

.prose :is(li, td) code {
  overflow-wrap: anywhere;
}

#contents a[aria-current="page"] {
  color: var(--rubric);
}

@media (min-width: 48rem) {
  .prose table {
    table-layout: auto;
  }

  .prose td code {
    overflow-wrap: break-word;
  }

  table {
    display: table;
    table-layout: fixed;
  }

  thead {
    position: static;
    display: table-header-group;
    clip-path: none;
    color: var(--soft-ink);
    font-size: 0.8125rem;
  }

  thead th {
    font-weight: 400;
  }

  thead tr {
    border-top: 0;
  }

  tbody {
    display: table-row-group;
  }

  tr,
  .fields tr,
  .codes tr {
    display: table-row;
  }

  th,
  td,
  td:empty {
    display: table-cell;
    padding: 0.625rem 1rem 0.625rem 0;
    vertical-align: top;
  }

  thead th {
    padding-block: 0.25rem;
  }

  .fields th:nth-child(1) {
    width: 26%;
  }
  .fields th:nth-child(2) {
    width: 28%;
  }
  .fields th:nth-child(3) {
    width: 6.25rem;
  }

  .errors th:nth-child(1) {
    width: 26%;
  }
  .errors tbody :is(th, td) {
    padding-block: 0.375rem;
  }

  .codes th:nth-child(1) {
    width: 40%;
  }
  .codes th:nth-child(2) {
    width: 6.25rem;
  }
}

@media (min-width: 64rem) {
  :root {
    --bar: 0rem;
  }

  body {
    display: grid;
    grid-template-columns: 18rem minmax(0, 1fr);
  }

  .side {
    position: sticky;
    top: 0;
    display: block;
    height: 100vh;
    overflow-y: auto;
    border-right: 1px solid var(--rule);
  }

  header {
    position: static;
    height: auto;
    padding: 2rem 1.5rem 1.25rem;
    border: 0;
  }

  .to-contents {
    display: none;
  }

  .contents {
    padding: 0 1.5rem 2rem;
    border: 0;
  }

  #contents a {
    padding-block: 0.25rem;
    font-size: 0.875rem;
  }

  main {
    width: 100%;
    max-width: 64rem;
    padding: 3rem clamp(2.5rem, 5vw, 5rem) 8rem;
  }

  /* The column is always expanded if the browser supports it. Otherwise it is collapsible as on small screens. */
  @supports selector(::details-content) {
    .contents::details-content {
      content-visibility: visible;
    }

    .contents summary {
      display: none;
    }
  }
}

@media print {
  body {
    display: block;
  }

  .side {
    display: none;
  }
}
`
