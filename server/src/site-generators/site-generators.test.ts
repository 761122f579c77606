import { describe, expect, it } from 'vitest'
import { recognizeSite } from './recognize-site.ts'
import type { RepositoryFiles, SiteGeneratorId } from './site-generator.ts'
import { siteGeneratorIds } from './site-generator.ts'
import { siteGeneratorOf, siteGenerators } from './site-generators.ts'

const repository = (files: Record<string, string>): RepositoryFiles => ({
  paths: Object.keys(files).toSorted(),
  read: async (path) => files[path],
})

interface Example {
  files: Record<string, string>
  pagesFolder: string
  /** URLs by page. Front matter is in the page. Null: not published. */
  urls: Record<string, string | null>
  navigation: readonly string[]
}

// The URLs were seen in sites that the generators built.
const examples: Record<Exclude<SiteGeneratorId, 'unknown'>, Example> = {
  docusaurus: {
    files: {
      'website/docusaurus.config.ts': `import type { Config } from '@docusaurus/types'
        const config: Config = {
          baseUrl: '/manual/',
          presets: [['classic', { docs: { sidebarPath: './sidebars.ts' } } satisfies object]],
        }
        export default config`,
    },
    pagesFolder: 'website/docs',
    urls: {
      'website/docs/guide/01-intro.md': '/manual/docs/guide/intro',
      'website/docs/01-first/02-a.md': '/manual/docs/first/a',
      'website/docs/03.c.md': '/manual/docs/c',
      'website/docs/2024-01-05-d.md': '/manual/docs/2024-01-05-d',
      'website/docs/guide/README.md': '/manual/docs/guide/',
      'website/docs/guide/guide.mdx': '/manual/docs/guide/',
      'website/docs/guide/_partial.mdx': null,
      'website/blog/post.md': null,
    },
    navigation: ['website/sidebars.ts', 'website/docs/guide/_category_.json'],
  },
  mkdocs: {
    files: {
      'mkdocs.yml': `site_url: https://example.com/manual/
nav:
  - Home: index.md
plugins:
  - search
  - macros:
      x: 1
markdown_extensions:
  - pymdownx.emoji:
      emoji_index: !!python/name:material.extensions.emoji.twemoji
`,
    },
    pagesFolder: 'docs',
    urls: { 'docs/guide/01-intro.md': '/manual/guide/01-intro/', 'docs/index.md': '/manual/', 'docs/a.png': null },
    navigation: ['mkdocs.yml', 'docs/guide/.nav.yml'],
  },
  zensical: {
    files: { 'zensical.toml': '[project]\nsite_url = "https://example.com/manual/"\nuse_directory_urls = false\n' },
    pagesFolder: 'docs',
    urls: { 'docs/guide/01-intro.md': '/manual/guide/01-intro.html', 'docs/guide/README.md': '/manual/guide/' },
    navigation: ['zensical.toml'],
  },
  vitepress: {
    files: {
      'docs/.vitepress/config.mts': `import { defineConfig } from 'vitepress'
        export default defineConfig({ base: '/manual/', themeConfig: { sidebar: [] } })`,
    },
    pagesFolder: 'docs',
    urls: { 'docs/guide/01-intro.md': '/manual/guide/01-intro.html', 'docs/guide/index.md': '/manual/guide/' },
    navigation: ['docs/.vitepress/config.mts'],
  },
  starlight: {
    files: {
      'astro.config.mjs': `import { defineConfig } from 'astro/config'
        import starlight from '@astrojs/starlight'
        export default defineConfig({ base: 'manual', integrations: [starlight({ title: 'x', sidebar: [] })] })`,
    },
    pagesFolder: 'src/content/docs',
    urls: {
      'src/content/docs/guide/01-intro.md': '/manual/guide/01-intro/',
      'src/content/docs/Upper_Case.md': '/manual/upper_case/',
      'src/content/docs/index.mdx': '/manual/',
    },
    navigation: ['astro.config.mjs'],
  },
  hugo: {
    files: { 'hugo.toml': 'baseURL = "https://example.com/manual/"\n', 'content/docs/01-intro.md': '' },
    pagesFolder: 'content',
    urls: { 'content/docs/01-intro.md': '/manual/docs/01-intro/', 'content/docs/_index.md': '/manual/docs/' },
    navigation: ['hugo.toml', 'config/_default/menus.en.toml'],
  },
  sphinx: {
    files: { 'docs/conf.py': 'project = "x"\nextensions = ["myst_parser"]\n' },
    pagesFolder: 'docs',
    urls: { 'docs/guide/01-intro.rst': '/guide/01-intro.html', 'docs/index.md': '/index.html' },
    navigation: [],
  },
  'jupyter-book': {
    files: { 'book/_toc.yml': 'format: jb-book\nroot: intro\n', 'book/_config.yml': 'title: x\n' },
    pagesFolder: 'book',
    urls: { 'book/guide/01-intro.md': '/guide/01-intro.html' },
    navigation: ['book/_toc.yml'],
  },
  nextra: {
    files: {
      'next.config.mjs': `import nextra from 'nextra'
        export default nextra({ contentDirBasePath: '/docs' })({ basePath: '/manual', output: 'export' })`,
      'content/index.mdx': '',
    },
    pagesFolder: 'content',
    urls: {
      'content/guide/01-intro.mdx': '/manual/docs/guide/01-intro',
      'content/guide/index.mdx': '/manual/docs/guide',
      'content/index.mdx': '/manual/docs',
    },
    navigation: ['content/guide/_meta.ts'],
  },
  fumadocs: {
    files: {
      'source.config.ts': `import { defineDocs } from 'fumadocs-mdx/config'
        export const docs = defineDocs({ dir: 'content/docs' })`,
      'next.config.mjs': `import { createMDX } from 'fumadocs-mdx/next'
        export default createMDX()({ basePath: '/manual' })`,
      'lib/source.ts': "export const source = loader({ baseUrl: '/docs', source: docs.toFumadocsSource() })",
    },
    pagesFolder: 'content/docs',
    urls: {
      'content/docs/guide/01-intro.mdx': '/manual/docs/guide/01-intro',
      'content/docs/(group)/x.md': '/manual/docs/x',
      'content/docs/index.mdx': '/manual/docs',
    },
    navigation: ['content/docs/guide/meta.json'],
  },
  mintlify: {
    files: { 'docs.json': '{ "name": "x", "navigation": { "groups": [] } }' },
    pagesFolder: '',
    urls: { 'guide/intro.mdx': '/guide/intro', 'index.mdx': '/', 'snippets/a.mdx': null },
    navigation: ['docs.json'],
  },
  mdbook: {
    files: { 'book.toml': '[book]\ntitle = "x"\n[output.html]\nsite-url = "/manual/"\n' },
    pagesFolder: 'src',
    urls: {
      'src/guide/01-intro.md': '/manual/guide/01-intro.html',
      'src/guide/README.md': '/manual/guide/',
      'src/SUMMARY.md': null,
    },
    navigation: [],
  },
  jekyll: {
    files: { '_config.yml': 'baseurl: /manual\n' },
    pagesFolder: '',
    urls: { 'docs/01-intro.md': '/manual/docs/01-intro.html', '_drafts/x.md': null },
    navigation: ['_data/navigation.yml', '_data/sidebars/home_sidebar.yml'],
  },
  antora: {
    files: { 'antora.yml': 'name: tiny\nversion: "1.0"\nnav:\n- modules/ROOT/nav.adoc\n' },
    pagesFolder: 'modules',
    urls: {
      'modules/ROOT/pages/01-intro.adoc': '/tiny/1.0/01-intro.html',
      'modules/api/pages/index.adoc': '/tiny/1.0/api/',
      'modules/ROOT/partials/p.adoc': null,
    },
    navigation: ['antora.yml'],
  },
}

it('has every generator once', () => {
  expect(siteGenerators.map(({ id }) => id).toSorted()).toEqual([...siteGeneratorIds].toSorted())
})

describe.each(Object.entries(examples))('%s', (id, { files, pagesFolder, urls, navigation }) => {
  const recognize = () => recognizeSite(repository(files), { docsFolders: [''] })

  it('is recognized by its configuration', async () => {
    await expect(recognize()).resolves.toMatchObject({ generator: id, pagesFolder })
  })

  it('knows the URL of a page', async () => {
    const site = await recognize()
    const generator = siteGeneratorOf(site.generator)
    for (const [path, url] of Object.entries(urls))
      expect([path, generator.urlOf(site, { path, frontMatter: {} }) ?? null]).toEqual([path, url])
  })

  it('knows its navigation files', async () => {
    const site = await recognize()
    const generator = siteGeneratorOf(site.generator)
    for (const path of navigation) expect([path, generator.findNavigation(site, path)]).not.toEqual([path, undefined])
    for (const path of ['package.json', 'Makefile', 'docs/page.md', 'src/index.ts'])
      expect([path, generator.findNavigation(site, path)]).toEqual([path, undefined])
  })
})

const urlOf = async (id: keyof typeof examples, path: string, frontMatter: Record<string, unknown>) => {
  const site = await recognizeSite(repository(examples[id].files), { docsFolders: [''] })
  return siteGeneratorOf(site.generator).urlOf(site, { path, frontMatter })
}

it.each([
  ['docusaurus', 'website/docs/guide/01-intro.md', { slug: 'start' }, '/manual/docs/guide/start'],
  ['docusaurus', 'website/docs/guide/01-intro.md', { slug: '/start' }, '/manual/docs/start'],
  ['docusaurus', 'website/docs/guide/01-intro.md', { id: 'start' }, '/manual/docs/guide/start'],
  ['mkdocs', 'docs/guide/intro.md', { slug: 'start' }, '/manual/guide/intro/'],
  ['starlight', 'src/content/docs/guide/intro.md', { slug: 'start/here' }, '/manual/start/here/'],
  ['hugo', 'content/docs/intro.md', { slug: 'start' }, '/manual/docs/start/'],
  ['hugo', 'content/docs/intro.md', { url: '/start/' }, '/manual/start/'],
  ['jekyll', 'docs/intro.md', { permalink: '/start/' }, '/manual/start/'],
] as const)('%s: front matter of %s changes the URL: %o', async (id, path, frontMatter, url) => {
  await expect(urlOf(id, path, frontMatter)).resolves.toBe(url)
})

describe('a repository with several sites', () => {
  const files = repository({
    'website/docusaurus.config.js': 'module.exports = {}',
    'manual/mkdocs.yml': '',
    'examples/site/hugo.toml': '',
    'examples/site/content/a.md': '',
  })

  it.each([
    ['website/docs', 'docusaurus'],
    ['website/docs/guide', 'docusaurus'],
    ['manual', 'mkdocs'],
    ['manual/docs', 'mkdocs'],
  ])('is recognized by the docs folder %s', async (docsFolder, generator) => {
    await expect(recognizeSite(files, { docsFolders: [docsFolder] })).resolves.toMatchObject({ generator })
  })

  it('is what a person chose', async () => {
    await expect(recognizeSite(files, { docsFolders: [''], siteGenerator: 'mkdocs' })).resolves.toMatchObject({
      generator: 'mkdocs',
      folder: 'manual',
    })
    await expect(recognizeSite(files, { docsFolders: ['x'], siteGenerator: 'jekyll' })).resolves.toMatchObject({
      generator: 'jekyll',
      configFile: null,
      pagesFolder: 'x',
    })
  })
})

it('does not take any configuration for a site', async () => {
  const files = repository({
    'config.toml': 'x = 1',
    'docs.json': '{}',
    'conf.py': 'import x',
    'next.config.js': '',
    'astro.config.mjs': '',
  })
  await expect(recognizeSite(files, { docsFolders: ['docs'] })).resolves.toMatchObject({
    generator: 'unknown',
    pagesFolder: 'docs',
  })
})
