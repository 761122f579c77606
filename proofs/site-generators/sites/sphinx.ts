import { posix } from 'node:path'
import { withoutExtension } from '../../../server/src/site-generators/site-paths.ts'
import {
  createLayouts,
  createPages,
  type ExampleSite,
  groupPages,
  type Layout,
  type Page,
  relativeTarget,
  renderMarkdown,
} from '../example-site.ts'

/** The index pages are reStructuredText, the other ones MyST. */
const withRestructuredIndexes = (layout: Layout): Layout => ({
  ...layout,
  home: 'docs/index.rst',
  guide: 'docs/guide/index.rst',
  reference: 'docs/reference/index.rst',
})

export const sphinxSite: ExampleSite = {
  generator: 'sphinx',
  installation: { from: 'pypi', packages: ['sphinx==9.0.4', 'myst-parser==5.2.0', 'furo==2025.12.19'] },
  docsFolder: 'docs',
  before: withRestructuredIndexes(createLayouts('docs').before),
  after: withRestructuredIndexes(createLayouts('docs').after),
  createFiles(layout) {
    const listed = (page: Page, path: string): string[] => {
      if (page.id === 'home') return ['guide/index', 'reference/index']
      const group = groupPages(layout).find(({ pages }) => pages[0]?.path === path)
      return (group?.pages ?? []).slice(1).map((other) => posix.basename(withoutExtension(other.path)))
    }
    return {
      'docs/conf.py': `project = "Example"
extensions = ["myst_parser"]
myst_heading_anchors = 2
html_theme = "furo"
html_baseurl = "https://example.com/manual/"
`,
      ...createPages(
        layout,
        // The API page is MyST, whose anchors are not known to :doc:.
        (from, to, anchor) =>
          from.endsWith('.rst') ? `/${posix.relative('docs', withoutExtension(to))}` : relativeTarget(from, to, anchor),
        (page, path) =>
          path.endsWith('.rst') ? renderRestructuredText(page, listed(page, path)) : renderMarkdown(page),
      ),
    }
  },
  build: (installed) => [
    [`${installed}/bin/python`, '-m', 'sphinx', '--quiet', '--fail-on-warning', '--builder', 'html', 'docs', 'out'],
  ],
  output: 'out',
}

const renderRestructuredText = ({ title, links }: Page, listed: readonly string[]) =>
  `${title}\n${'='.repeat(title.length)}\n
${links.map((link) => `See :doc:\`${link.title} <${link.target}>\`.`).join('\n')}
\n.. toctree::\n\n${listed.map((page) => `   ${page}\n`).join('')}`
