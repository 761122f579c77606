import { posix } from 'node:path'
import { withoutExtension } from '../../../server/src/site-generators/site-paths.ts'
import {
  createLayouts,
  createPages,
  type ExampleSite,
  groupPages,
  relativeTarget,
  renderMarkdown,
} from '../example-site.ts'

const inDocs = (path: string) => posix.relative('docs', withoutExtension(path))

/** Its package cannot be started with `-m`. */
const main = 'from jupyter_book.cli.main import main; main()'

export const jupyterBookSite: ExampleSite = {
  generator: 'jupyter-book',
  installation: { from: 'pypi', packages: ['jupyter-book==1.0.4.post1'] },
  docsFolder: 'docs',
  ...createLayouts('docs'),
  createFiles(layout) {
    const chapters = groupPages(layout).map(({ pages: [index, ...others] }) => {
      const sections = others.map(({ path }) => `      - file: ${inDocs(path)}\n`).join('')
      return `  - file: ${inDocs(index?.path ?? '')}\n    sections:\n${sections}`
    })
    return {
      'docs/_config.yml': `title: Example
execute:
  execute_notebooks: "off"
html:
  baseurl: https://example.com/manual/
sphinx:
  config:
    myst_heading_anchors: 2
`,
      'docs/_toc.yml': `format: jb-book\nroot: index\nchapters:\n${chapters.join('')}`,
      ...createPages(layout, relativeTarget, renderMarkdown),
    }
  },
  build: (installed) => [
    [`${installed}/bin/python`, '-c', main, 'build', 'docs', '--path-output', 'out', '--warningiserror', '--quiet'],
  ],
  output: 'out/_build/html',
}
