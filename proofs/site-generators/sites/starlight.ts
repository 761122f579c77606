import { posix } from 'node:path'
import { withoutExtension } from '../../../server/src/site-generators/site-paths.ts'
import {
  createLayouts,
  createPages,
  createSpecialPages,
  type ExampleSite,
  groupPages,
  renderMarkdownWithTitle,
} from '../example-site.ts'

const pages = 'src/content/docs'
const slugOf = (path: string) => posix.relative(pages, withoutExtension(path)).replace(/(?:^|\/)index$/, '')
const urlOf = (path: string) => posix.join('/manual', slugOf(path), '/')

const specialPages = [
  { path: `${pages}/guide/slugged.md`, title: 'Slugged', frontMatter: { slug: 'elsewhere/page' } },
  { path: `${pages}/guide/Upper_Case.md`, title: 'Uppercase', frontMatter: {} },
]

export const starlightSite: ExampleSite = {
  generator: 'starlight',
  installation: { from: 'npm', packages: ['@astrojs/starlight@0.42.4', 'astro@7.3.5'] },
  docsFolder: pages,
  ...createLayouts(pages),
  specialPages,
  createFiles(layout) {
    const groups = groupPages(layout).map(({ title, pages: listed }) => {
      const items = listed.map((page) => `            { label: '${page.title}', slug: '${slugOf(page.path)}' },\n`)
      return `        {\n          label: '${title}',\n          items: [\n${items.join('')}          ],\n        },\n`
    })
    return {
      'astro.config.mjs': `import starlight from '@astrojs/starlight'
import { defineConfig } from 'astro/config'

export default defineConfig({
  site: 'https://example.com',
  base: '/manual',
  integrations: [
    starlight({
      title: 'Example',
      pagefind: false,
      sidebar: [
${groups.join('')}      ],
    }),
  ],
})
`,
      'src/content.config.ts': `import { docsLoader } from '@astrojs/starlight/loaders'
import { docsSchema } from '@astrojs/starlight/schema'
import { defineCollection } from 'astro:content'

export const collections = { docs: defineCollection({ loader: docsLoader(), schema: docsSchema() }) }
`,
      ...createSpecialPages(specialPages),
      ...createPages(layout, (_from, to, anchor) => urlOf(to) + anchor, renderMarkdownWithTitle),
    }
  },
  build: (installed) => [[`${installed}/node_modules/.bin/astro`, 'build', '--outDir', 'out']],
  output: 'out',
}
