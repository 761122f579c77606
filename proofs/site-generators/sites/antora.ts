import { posix } from 'node:path'
import { createLayouts, createPages, type ExampleSite, groupPages, type Page } from '../example-site.ts'

const pages = 'docs/modules/ROOT/pages'
const inPages = (path: string) => posix.relative(pages, path)

const template = `<!doctype html>
<title>{{{page.title}}}</title>
<nav>{{#each page.navigation}}{{#each items}}{{> item}}{{/each}}{{/each}}</nav>
<main><h1>{{{page.title}}}</h1>{{{page.contents}}}</main>
`
const item = `<a href="{{relativize url}}">{{{content}}}</a> {{#each items}}{{> item}}{{/each}}\n`
const relativize = `const { posix } = require('node:path')

module.exports = (to, { data: { root } }) => posix.relative(posix.dirname(root.page.url), to)
`

export const antoraSite: ExampleSite = {
  generator: 'antora',
  installation: { from: 'npm', packages: ['antora@3.1.15'] },
  docsFolder: 'docs',
  ...createLayouts(pages, { extension: 'adoc' }),
  createFiles(layout) {
    const items = groupPages(layout).flatMap(({ pages: listed }) =>
      listed.map(({ title, path }, index) => `${index === 0 ? '*' : '**'} xref:${inPages(path)}[${title}]\n`),
    )
    return {
      'antora-playbook.yml': `site:
  title: Example
content:
  sources:
    - url: .
      start_path: docs
ui:
  bundle:
    url: ./ui
output:
  dir: ./out
runtime:
  log:
    failure_level: warn
`,
      'ui/layouts/default.hbs': template,
      'ui/layouts/404.hbs': template,
      'ui/partials/item.hbs': item,
      'ui/helpers/relativize.js': relativize,
      'docs/antora.yml': 'name: example\nversion: "1.0"\nnav:\n  - modules/ROOT/nav.adoc\n',
      'docs/modules/ROOT/nav.adoc': items.join(''),
      ...createPages(layout, (_from, to, anchor) => `${inPages(to)}${anchor === '' ? '' : '#_limits'}`, renderAsciidoc),
    }
  },
  // Antora reads the pages from Git.
  build: (installed) => [
    ['git', 'init', '--quiet'],
    ['git', 'add', '--all'],
    [
      'git',
      '-c',
      'user.name=Proof',
      '-c',
      'user.email=proof@localhost.invalid',
      'commit',
      '--quiet',
      '--message=Build',
    ],
    [`${installed}/node_modules/.bin/antora`, '--quiet', 'antora-playbook.yml'],
  ],
  output: 'out',
}

const renderAsciidoc = ({ title, links, section }: Page) =>
  `= ${title}\n\n${links.map((link) => `See xref:${link.target}[${link.title}].`).join('\n')}\n${section === undefined ? '' : `\n== ${section}\n\nText.\n`}`
