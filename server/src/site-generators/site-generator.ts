/** What Colophon knows about a site generator. One file per generator in `generators/`; `recognize-site.ts` finds the right one. */
import type { PageFormat } from './page-format.ts'

export const siteGeneratorIds = [
  'docusaurus',
  'mkdocs',
  'zensical',
  'vitepress',
  'starlight',
  'hugo',
  'sphinx',
  'jupyter-book',
  'nextra',
  'fumadocs',
  'mintlify',
  'mdbook',
  'jekyll',
  'antora',
  'unknown',
] as const
export type SiteGeneratorId = (typeof siteGeneratorIds)[number]

/** A repository at one commit, or a work tree. */
export interface RepositoryFiles {
  /** The paths of all files. */
  paths: readonly string[]
  /** Undefined: there is no such file, it is larger than 256 KiB, or it is not UTF-8. */
  read(path: string): Promise<string | undefined>
}

/** A site in a repository. Folders have no leading or trailing slash; an empty string is the root of the repository. */
export interface Site {
  generator: SiteGeneratorId
  /** Null: the generator is unknown. */
  configFile: string | null
  /** The folder of the configuration, in which the generator is started. */
  folder: string
  pagesFolder: string
  urls: UrlRules
  /** Whether the generator compiles `.md` files as MDX. */
  isMarkdownMdx: boolean
  /** Extensions that the configuration enables and that execute something in pages. */
  pageExtensions: readonly PageExtension[]
}

/** `macros`: Jinja in MkDocs pages. `notebooks`: code cells in MyST pages. */
export type PageExtension = 'macros' | 'notebooks'

/** How the path of a page becomes the path of its URL, as far as this is configured. */
export interface UrlRules {
  /** The path of the site, such as `/` or `/manual/`. */
  basePath: string
  /** What comes between the base path and the path of a page, such as `docs/`. Empty: nothing. */
  pagesPath: string
  /** `guide/intro.html`, `guide/intro/` or `guide/intro`. */
  ending: 'html' | 'slash' | 'none'
}

/** A page of which the URL is wanted. */
export interface PageFile {
  path: string
  /** Empty if the page has no front matter. */
  frontMatter: Readonly<Record<string, unknown>>
}

/** A file with navigation, and which part of it is navigation. */
export interface NavigationFile {
  format: 'js' | 'json' | 'yaml' | 'toml'
  /** `whole`: the file contains nothing else. */
  part: 'whole' | readonly NavigationPlace[]
}

/**
 * A value in a configuration file. `keys` are the keys from the top to the value. In JavaScript, `call` is a function whose argument
 * the keys start at: its name as exported (`default` for the default export), and the package that it must be imported from.
 */
export interface NavigationPlace {
  keys: readonly string[]
  call?: { name: string; from: string }
}

export interface SiteGenerator {
  id: SiteGeneratorId
  name: string
  /** Whether a file of this name, in any folder, may be the configuration of a site. */
  isConfigName(path: string): boolean
  /** Undefined: the file is the configuration of something else. */
  openSite(files: RepositoryFiles, configFile: string): Promise<Site | undefined>
  /** Undefined: the file is not navigation. */
  findNavigation(site: Site, path: string): NavigationFile | undefined
  /** Undefined: the file is not a page. */
  pageFormat(site: Site, path: string): PageFormat | undefined
  /** The path of the URL of a page, from the root of the host. Undefined: the file is not published as a page. */
  urlOf(site: Site, page: PageFile): string | undefined
  /** Tells the agent how to add a page to the navigation. Whole sentences; may name files of the site. */
  describeNavigation(site: Site): string
}
