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

const linkTo = (path: string) => `/${posix.relative('docs', withoutExtension(path))}`.replace(/index$/, '')

export const vitepressSite: ExampleSite = {
  generator: 'vitepress',
  installation: { from: 'npm', packages: ['vitepress@1.6.4', 'vue@3.5.45'] },
  docsFolder: 'docs',
  ...createLayouts('docs'),
  createFiles(layout) {
    const groups = groupPages(layout).map(({ title, pages }) => {
      const items = pages.map((page) => `        { text: '${page.title}', link: '${linkTo(page.path)}' },\n`)
      return `      {\n      text: '${title}',\n      items: [\n${items.join('')}      ],\n      },\n`
    })
    return {
      'docs/.vitepress/config.mts': `import { defineConfig } from 'vitepress'

export default defineConfig({
  base: '/manual/',
  title: 'Example',
  themeConfig: {
    sidebar: [
${groups.join('')}    ],
  },
})
`,
      ...createPages(layout, relativeTarget, renderMarkdown),
    }
  },
  build: (installed) => [[`${installed}/node_modules/.bin/vitepress`, 'build', 'docs']],
  output: 'docs/.vitepress/dist',
}
