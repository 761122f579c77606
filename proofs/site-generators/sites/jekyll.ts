import {
  createLayouts,
  createPages,
  createSpecialPages,
  type ExampleSite,
  groupPages,
  renderMarkdownWithTitle,
} from '../example-site.ts'

const template = `<!doctype html>
<title>{{ page.title }}</title>
<nav>{% for item in site.data.navigation %}<a href="{{ item.url | relative_url }}">{{ item.title }}</a> {% endfor %}</nav>
<main><h1>{{ page.title }}</h1>{{ content }}</main>
`

const urlOf = (path: string) => `/${path.replace(/\.md$/, '.html').replace(/index\.html$/, '')}`

const specialPages = [{ path: 'guide/moved.md', title: 'Elsewhere', frontMatter: { permalink: '/elsewhere/' } }]

export const jekyllSite: ExampleSite = {
  generator: 'jekyll',
  installation: { from: 'debian', package: 'jekyll' },
  docsFolder: '',
  ...createLayouts(''),
  specialPages,
  createFiles(layout) {
    const items = groupPages(layout).flatMap(({ pages }) => pages)
    return {
      '_config.yml': `title: Example
baseurl: /manual
defaults:
  - scope:
      path: ""
    values:
      layout: default
`,
      '_layouts/default.html': template,
      '_data/navigation.yml': items.map(({ title, path }) => `- title: ${title}\n  url: ${urlOf(path)}\n`).join(''),
      ...createSpecialPages(specialPages),
      // A link to a page that does not exist fails the build.
      ...createPages(layout, (_from, to, anchor) => `{% link ${to} %}${anchor}`, renderMarkdownWithTitle),
    }
  },
  build: (installed) => [[`${installed}/bin/jekyll`, 'build', '--quiet', '--destination', 'out']],
  output: 'out',
}
