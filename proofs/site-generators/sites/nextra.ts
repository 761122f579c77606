import { posix } from 'node:path'
import { withoutExtension } from '../../../server/src/site-generators/site-paths.ts'
import { createLayouts, createPages, type ExampleSite, groupPages, renderMarkdown } from '../example-site.ts'

const nameOf = (path: string) => posix.basename(withoutExtension(path))
/** Next adds the base path. */
const urlOf = (path: string) => `/${posix.relative('content', withoutExtension(path))}`.replace(/\/index$/, '') || '/'

export const nextraSite: ExampleSite = {
  generator: 'nextra',
  installation: {
    from: 'npm',
    packages: ['nextra@4.6.1', 'nextra-theme-docs@4.6.1', 'next@16.4.6', 'react@19.3.1', 'react-dom@19.3.1'],
    overrides: { zod: '4.1.12' },
  },
  docsFolder: 'content',
  ...createLayouts('content', { extension: 'mdx' }),
  createFiles(layout) {
    const metas = groupPages(layout).map(({ pages }) => {
      const entries = pages.map(({ title, path }) => `  '${nameOf(path)}': '${title}',\n`)
      return [posix.join(posix.dirname(pages[0]?.path ?? ''), '_meta.js'), `export default {\n${entries.join('')}}\n`]
    })
    return {
      'next.config.mjs': `import nextra from 'nextra'

export default nextra({ search: false })({
  basePath: '/manual',
  output: 'export',
  images: { unoptimized: true },
})
`,
      'mdx-components.jsx': `import { useMDXComponents as useThemeComponents } from 'nextra-theme-docs'

export const useMDXComponents = (components) => ({ ...useThemeComponents(), ...components })
`,
      'app/layout.jsx': `import { Layout } from 'nextra-theme-docs'
import { getPageMap } from 'nextra/page-map'

export default async function RootLayout({ children }) {
  return (
    <html lang="en">
      <body>
        <Layout pageMap={await getPageMap()}>{children}</Layout>
      </body>
    </html>
  )
}
`,
      'app/[[...mdxPath]]/page.jsx': `import { generateStaticParamsFor, importPage } from 'nextra/pages'
import { useMDXComponents } from '../../mdx-components'

export const generateStaticParams = generateStaticParamsFor('mdxPath')

export default async function Page(props) {
  const { mdxPath } = await props.params
  const { default: Content, toc, metadata, sourceCode } = await importPage(mdxPath)
  const Wrapper = useMDXComponents().wrapper
  return (
    <Wrapper toc={toc} metadata={metadata} sourceCode={sourceCode}>
      <Content {...props} />
    </Wrapper>
  )
}
`,
      'content/_meta.js': "export default {\n  index: 'Manual',\n  guide: 'Guide',\n  reference: 'Reference',\n}\n",
      ...Object.fromEntries(metas),
      ...createPages(layout, (_from, to, anchor) => urlOf(to) + anchor, renderMarkdown),
    }
  },
  build: (installed) => [[`${installed}/node_modules/.bin/next`, 'build']],
  output: 'out',
}
