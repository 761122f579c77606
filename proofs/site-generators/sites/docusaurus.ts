import { posix } from 'node:path'
import { withoutExtension } from '../../../server/src/site-generators/site-paths.ts'
import {
  createLayouts,
  createPages,
  createSpecialPages,
  type ExampleSite,
  groupPages,
  relativeTarget,
  renderMarkdown,
} from '../example-site.ts'

const idOf = (path: string) =>
  posix
    .relative('docs', withoutExtension(path))
    .split('/')
    .map((part) => part.replace(/^\d+-/, ''))
    .join('/')

const specialPages = [
  { path: 'docs/guide/slugged.md', title: 'Slugged', frontMatter: { slug: 'another-name' } },
  { path: 'docs/guide/absolute.md', title: 'Elsewhere', frontMatter: { slug: '/elsewhere/page' } },
  { path: 'docs/02-more/05-named.md', title: 'Named', frontMatter: { id: 'by-id' } },
  { path: 'docs/02-more/2024-01-05-news.md', title: 'Dated', frontMatter: {} },
]

export const docusaurusSite: ExampleSite = {
  generator: 'docusaurus',
  installation: {
    from: 'npm',
    packages: [
      '@docusaurus/core@3.10.2',
      '@docusaurus/preset-classic@3.10.2',
      '@docusaurus/types@3.10.2',
      '@mdx-js/react@3.1.1',
      'react@19.3.1',
      'react-dom@19.3.1',
      'typescript@5.9.3',
    ],
    overrides: { '@docsearch/react': '4.6.3' },
  },
  docsFolder: 'docs',
  ...createLayouts('docs'),
  specialPages,
  createFiles(layout) {
    const groups = groupPages(layout).map(({ title, pages }) => {
      const items = pages.map(({ path }) => `        '${idOf(path)}',\n`)
      return `    {\n      type: 'category',\n      label: '${title}',\n      items: [\n${items.join('')}      ],\n    },\n`
    })
    return {
      'docusaurus.config.ts': `import type { Config } from '@docusaurus/types'

const config: Config = {
  title: 'Example',
  url: 'https://example.com',
  baseUrl: '/manual/',
  onBrokenLinks: 'throw',
  onBrokenAnchors: 'throw',
  presets: [['classic', { docs: { sidebarPath: './sidebars.ts' }, blog: false }]],
}

export default config
`,
      'sidebars.ts': `import type { SidebarsConfig } from '@docusaurus/plugin-content-docs'

const sidebars: SidebarsConfig = {
  manual: [
    'index',
${groups.join('')}  ],
}

export default sidebars
`,
      'src/pages/index.md': '# Example\n\nSee [the manual](/docs).\n',
      ...createSpecialPages(specialPages),
      ...createPages(layout, relativeTarget, renderMarkdown),
    }
  },
  build: (installed) => [[`${installed}/node_modules/.bin/docusaurus`, 'build', '--out-dir', 'out']],
  output: 'out',
}
