/**
 * The same small manual for every generator: two sections with index pages, number prefixes, links between pages and to a heading,
 * and a base path. The change that a job makes adds one page and moves another into the other section.
 */
import { posix } from 'node:path'
import type { SiteGeneratorId } from '../../server/src/site-generators/site-generator.ts'
import type { Installation } from './install.ts'

export const pageIds = ['home', 'guide', 'intro', 'setup', 'proxies', 'reference', 'api'] as const
export type PageId = (typeof pageIds)[number]

/** The path of each page. A page without a path is not there. */
export type Layout = Readonly<Partial<Record<PageId, string>>>
export type Files = Readonly<Record<string, string>>

export interface ExampleSite {
  generator: SiteGeneratorId
  installation: Installation
  docsFolder: string
  before: Layout
  after: Layout
  /** Pages whose URL does not follow from their path alone. They do not change. */
  specialPages?: readonly SpecialPage[]
  /** All files of the repository, with the pages of the layout in the navigation. */
  createFiles(layout: Layout): Files
  build: BuildStep
  /** The folder with the built site, from the root of the repository. */
  output: string
  /** The file in `output` that contains the navigation. Default: every page contains it. */
  navigationFile?: string
}

export interface SpecialPage {
  path: string
  title: string
  frontMatter: Readonly<Record<string, string>>
}

/** The commands that build the site in its repository, with the installed programs. */
export type BuildStep = (installed: string) => readonly (readonly string[])[]

export interface Page {
  id: PageId
  title: string
  links: readonly Link[]
  /** The title of a section whose anchor is its name in lower case. */
  section?: string
}

export interface Link {
  title: string
  /** As the generator wants it. */
  target: string
}

const contents: Readonly<Record<PageId, { title: string; links: readonly PageId[]; section?: string }>> = {
  home: { title: 'Manual', links: ['intro', 'setup', 'api'] },
  guide: { title: 'Guide', links: ['intro'] },
  intro: { title: 'Introduction', links: ['setup'] },
  setup: { title: 'Installation', links: ['api', 'guide'] },
  proxies: { title: 'Proxies', links: ['intro', 'setup', 'api'] },
  reference: { title: 'Reference', links: ['api'] },
  api: { title: 'Endpoints', links: ['guide'], section: 'Limits' },
}

export const titleOf = (id: PageId): string => contents[id].title

/** Of all pages of the manual, only these link to the page. Links to it elsewhere come from the navigation. */
export const pagesLinkingTo = (id: PageId): PageId[] => pageIds.filter((page) => contents[page].links.includes(id))

/** Pages at the same places for every generator. `index` is the name of index pages. */
export function createLayouts(
  folder: string,
  { extension = 'md', index = 'index', home = index }: { extension?: string; index?: string; home?: string } = {},
): { before: Layout; after: Layout } {
  const at = (path: string) => posix.join(folder, `${path}.${extension}`)
  const common = {
    home: at(home),
    guide: at(`guide/${index}`),
    intro: at('guide/01-intro'),
    reference: at(`reference/${index}`),
    api: at('reference/api'),
  }
  return {
    before: { ...common, setup: at('guide/02-setup') },
    after: { ...common, setup: at('reference/02-setup'), proxies: at('guide/03-proxies') },
  }
}

/** Renders the pages of a layout. The links to the endpoints end in the anchor of a section. */
export function createPages(
  layout: Layout,
  target: (from: string, to: string, anchor: string) => string,
  render: (page: Page, path: string) => string,
): Files {
  const entries = Object.entries(layout) as [PageId, string][]
  return Object.fromEntries(
    entries.map(([id, path]) => {
      const { links, ...content } = contents[id]
      const resolved = links.map((to) => ({
        title: titleOf(to),
        target: target(path, layout[to] ?? '', to === 'api' ? '#limits' : ''),
      }))
      return [path, render({ id, links: resolved, ...content }, path)]
    }),
  )
}

export const relativeTarget = (from: string, to: string, anchor: string): string =>
  posix.relative(posix.dirname(from), to) + anchor

export function renderMarkdown({ title, links, section }: Page): string {
  const text = links.map((link) => `See [${link.title}](${link.target}).`).join('\n')
  return `# ${title}\n\n${text}\n${section === undefined ? '' : `\n## ${section}\n\nText.\n`}`
}

/** With the title in the front matter and not as a heading. */
export function renderMarkdownWithTitle(page: Page): string {
  return `---\ntitle: ${page.title}\n---\n\n${renderMarkdown(page).replace(/^# .*\n\n/, '')}`
}

export const createSpecialPages = (pages: readonly SpecialPage[]): Files =>
  Object.fromEntries(
    pages.map(({ path, title, frontMatter }) => {
      const lines = Object.entries({ title, ...frontMatter }).map(([key, value]) => `${key}: ${value}\n`)
      return [path, `---\n${lines.join('')}---\n\nText about ${title}.\n`]
    }),
  )

export interface NavigationGroup {
  title: string
  /** The index page of the section, then the others in the order of their paths. */
  pages: readonly { title: string; path: string }[]
}

/** The sections in the order of the navigation. A page belongs to the section of its folder. */
export const groupPages = (layout: Layout): NavigationGroup[] =>
  (['guide', 'reference'] as const).map((section) => {
    const inSection = pageIds
      .flatMap((id) => (layout[id] === undefined ? [] : [{ id, title: titleOf(id), path: layout[id] }]))
      .filter(({ path }) => posix.basename(posix.dirname(path)) === section)
    const isIndex = ({ id }: { id: PageId }) => id === section
    return {
      title: titleOf(section),
      pages: [
        ...inSection.filter(isIndex),
        ...inSection.filter((page) => !isIndex(page)).toSorted((a, b) => (a.path < b.path ? -1 : 1)),
      ],
    }
  })
