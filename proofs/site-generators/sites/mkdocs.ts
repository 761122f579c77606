import { posix } from 'node:path'
import {
  createLayouts,
  createPages,
  type ExampleSite,
  groupPages,
  relativeTarget,
  renderMarkdown,
} from '../example-site.ts'

const inDocs = (path: string) => posix.relative('docs', path)

export const mkdocsSite: ExampleSite = {
  generator: 'mkdocs',
  installation: { from: 'pypi', packages: ['mkdocs==1.6.1', 'mkdocs-material==9.8.1'] },
  docsFolder: 'docs',
  ...createLayouts('docs'),
  createFiles(layout) {
    const nav = groupPages(layout).map(
      ({ title, pages }) =>
        `  - ${title}:\n${pages.map((page) => `      - ${page.title}: ${inDocs(page.path)}\n`).join('')}`,
    )
    return {
      'mkdocs.yml': `site_name: Example
site_url: https://example.com/manual/
theme:
  name: material
  font: false
nav:
  - Manual: index.md
${nav.join('')}markdown_extensions:
  - pymdownx.emoji:
      emoji_index: !!python/name:material.extensions.emoji.twemoji
`,
      ...createPages(layout, relativeTarget, renderMarkdown),
    }
  },
  build: (installed) => [
    [`${installed}/bin/python`, '-m', 'mkdocs', 'build', '--strict', '--quiet', '--site-dir', 'out'],
  ],
  output: 'out',
}
