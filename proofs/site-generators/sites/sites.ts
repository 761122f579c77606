/** The example sites, quickest first. */
import type { ExampleSite } from '../example-site.ts'
import { antoraSite } from './antora.ts'
import { docusaurusSite } from './docusaurus.ts'
import { fumadocsSite } from './fumadocs.ts'
import { hugoSite } from './hugo.ts'
import { jekyllSite } from './jekyll.ts'
import { jupyterBookSite } from './jupyter-book.ts'
import { mdbookSite } from './mdbook.ts'
import { mkdocsSite } from './mkdocs.ts'
import { nextraSite } from './nextra.ts'
import { sphinxSite } from './sphinx.ts'
import { starlightSite } from './starlight.ts'
import { vitepressSite } from './vitepress.ts'
import { zensicalSite } from './zensical.ts'

/** Installed and built in seconds, except mdBook, which is compiled once. */
export const quickSites: readonly ExampleSite[] = [mdbookSite, hugoSite, mkdocsSite, sphinxSite]

/** Mintlify is missing: it cannot build without its servers. */
export const allSites: readonly ExampleSite[] = [
  ...quickSites,
  zensicalSite,
  antoraSite,
  jekyllSite,
  jupyterBookSite,
  vitepressSite,
  starlightSite,
  docusaurusSite,
  nextraSite,
  fumadocsSite,
]
