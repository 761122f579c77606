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

export const zensicalSite: ExampleSite = {
  generator: 'zensical',
  installation: { from: 'pypi', packages: ['zensical==0.0.73'] },
  docsFolder: 'docs',
  ...createLayouts('docs'),
  createFiles(layout) {
    const nav = groupPages(layout).map(
      ({ title, pages }) =>
        `  { "${title}" = [${pages.map((page) => `{ "${page.title}" = "${inDocs(page.path)}" }`).join(', ')}] },\n`,
    )
    return {
      'zensical.toml': `[project]
site_name = "Example"
site_url = "https://example.com/manual/"
site_dir = "out"
nav = [
  { "Manual" = "index.md" },
${nav.join('')}]

[project.theme]
font = false
`,
      ...createPages(layout, relativeTarget, renderMarkdown),
    }
  },
  build: (installed) => [[`${installed}/bin/python`, '-m', 'zensical', 'build']],
  output: 'out',
}
