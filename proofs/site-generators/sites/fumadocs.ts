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

const nameOf = (path: string) => posix.basename(withoutExtension(path))
/** Next adds the base path. */
const urlOf = (path: string) =>
  posix.join('/docs', posix.relative('content/docs', withoutExtension(path))).replace(/\/index$/, '')

const specialPages = [{ path: 'content/docs/(group)/grouped.mdx', title: 'Grouped', frontMatter: {} }]

export const fumadocsSite: ExampleSite = {
  generator: 'fumadocs',
  installation: {
    from: 'npm',
    packages: [
      'fumadocs-core@16.15.13',
      'fumadocs-ui@16.15.13',
      'fumadocs-mdx@15.4.3',
      'next@16.4.6',
      'react@19.3.1',
      'react-dom@19.3.1',
      'typescript@5.9.3',
      '@types/mdx@2.0.14',
      '@types/node@24.19.2',
      '@types/react@19.3.0',
    ],
  },
  docsFolder: 'content/docs',
  ...createLayouts('content/docs', { extension: 'mdx' }),
  specialPages,
  createFiles(layout) {
    const metas = groupPages(layout).map(({ title, pages }) => [
      posix.join(posix.dirname(pages[0]?.path ?? ''), 'meta.json'),
      `${JSON.stringify({ title, defaultOpen: true, pages: pages.map(({ path }) => nameOf(path)) }, null, 2)}\n`,
    ])
    return {
      'next.config.mjs': `import { createMDX } from 'fumadocs-mdx/next'

export default createMDX()({ basePath: '/manual', output: 'export', images: { unoptimized: true } })
`,
      'source.config.ts': `import { defineDocs } from 'fumadocs-mdx/config'

export const docs = defineDocs({ dir: 'content/docs' })
`,
      'tsconfig.json': `{
  "compilerOptions": {
    "jsx": "react-jsx",
    "module": "esnext",
    "moduleResolution": "bundler",
    "strict": true,
    "skipLibCheck": true,
    "noEmit": true,
    "paths": { "@/*": ["./*"], "collections/*": ["./.source/*"] }
  },
  "include": ["**/*.ts", "**/*.tsx"]
}
`,
      'lib/source.ts': `import { docs } from 'collections/server'
import { loader } from 'fumadocs-core/source'

export const source = loader({ baseUrl: '/docs', source: docs.toFumadocsSource() })
`,
      'app/layout.tsx': `import { RootProvider } from 'fumadocs-ui/provider/next'
import type { ReactNode } from 'react'

export default function Layout({ children }: { children: ReactNode }) {
  return (
    <html lang="en" suppressHydrationWarning>
      <body>
        <RootProvider search={{ enabled: false }}>{children}</RootProvider>
      </body>
    </html>
  )
}
`,
      'app/page.tsx': `import Link from 'next/link'

export default function Home() {
  return <Link href="/docs">Manual</Link>
}
`,
      'app/docs/layout.tsx': `import { DocsLayout } from 'fumadocs-ui/layouts/docs'
import type { ReactNode } from 'react'
import { source } from '@/lib/source'

export default function Layout({ children }: { children: ReactNode }) {
  return <DocsLayout tree={source.getPageTree()}>{children}</DocsLayout>
}
`,
      'app/docs/[[...slug]]/page.tsx': `import { DocsBody, DocsPage, DocsTitle } from 'fumadocs-ui/layouts/docs/page'
import defaultComponents from 'fumadocs-ui/mdx'
import { notFound } from 'next/navigation'
import { source } from '@/lib/source'

export default async function Page({ params }: { params: Promise<{ slug?: string[] }> }) {
  const page = source.getPage((await params).slug)
  if (!page) notFound()
  const Content = page.data.body
  return (
    <DocsPage toc={page.data.toc}>
      <DocsTitle>{page.data.title}</DocsTitle>
      <DocsBody>
        <Content components={{ ...defaultComponents }} />
      </DocsBody>
    </DocsPage>
  )
}

export const generateStaticParams = () => source.generateParams()
`,
      'content/docs/meta.json': '{\n  "pages": ["index", "guide", "reference"]\n}\n',
      ...Object.fromEntries(metas),
      ...createSpecialPages(specialPages),
      ...createPages(layout, (_from, to, anchor) => urlOf(to) + anchor, renderMarkdownWithTitle),
    }
  },
  build: (installed) => [[`${installed}/node_modules/.bin/next`, 'build']],
  output: 'out',
}
