/**
 * Pages of a site, and the many URLs of each. The page is chosen first and its URL derived from it, so the expected path of a
 * request is known without a rule that derives it from the request.
 */
type Random = () => number

/** One URL of a page. */
export interface PageUrlSpelling {
  /** As in the request line: encoded, possibly with a query. */
  target: string
  /** A page for language models: requesting it identifies an unknown client as AI. */
  isForModels: boolean
}

/** Difficult paths: versions, other scripts, characters with a meaning in JSON, SQL, CSV and URLs. */
const hardPages = [
  '/',
  '/docs',
  '/Docs',
  '/docs/start',
  '/docs/Start',
  '/docs/1.2',
  '/docs/v3.x',
  '/docs/2.10.0',
  '/docs/reindex',
  '/docs/indexes',
  '/docs/größe',
  '/ドキュメント/始める',
  '/документы',
  '/docs/🎉',
  '/docs/é',
  '/docs/e\u0301',
  '/docs/a b',
  '/docs/100%',
  '/docs/%41',
  '/docs/c++',
  "/docs/it's",
  '/docs/"quoted"',
  '/docs/back\\slash',
  '/docs/{id}',
  '/docs/a,b;c',
  '/=1+1',
  '/@docs',
  '/docs/?',
  '/docs/#',
  '/docs/$',
  '/docs/\u{10ffff}',
  '/docs/\uffee',
  '/(other)',
  '/docs/null',
  '/~',
]
const pagesForModels = ['/llms.txt', '/llms-full.txt', '/docs/llms.txt', '/ドキュメント/llms-full.txt']

export interface SitePage {
  /** The path that is counted. */
  path: string
  isForModels: boolean
}

export function generateSitePages(count: number, random: Random): SitePage[] {
  const paths = new Set(hardPages)
  const sections = ['guides', 'Guides', 'api', 'api/v2', 'reference', 'référence', 'blog/2026', 'a-z']
  while (paths.size < count)
    paths.add(`/${pick(sections, random)}/page-${Math.floor(random() * count * 3).toString(36)}`)
  return [
    ...[...paths].map((path) => ({ path, isForModels: false })),
    ...pagesForModels.map((path) => ({ path, isForModels: true })),
  ]
}

const plainEndings = [
  '',
  '',
  '',
  '',
  '/',
  '/',
  '.html',
  '.html',
  '.mdx',
  '/index',
  '/index.html',
  '/index/',
  '/index.mdx',
]
const modelEndings = ['.md', '.md', '/index.md']
const queries = [
  '?utm_source=a',
  '?',
  '?q=a/b.png',
  '?next=/x.html',
  '?a=%',
  '?q=%2e%6Dd',
  '?x=1#top',
  '#top',
  '#a/b.css',
]

export function spellPageUrl({ path, isForModels }: SitePage, forModels: boolean, random: Random): PageUrlSpelling {
  const ending = isForModels ? '' : pick(forModels ? modelEndings : plainEndings, random)
  const fullPath = path === '/' ? (ending.startsWith('/') ? ending : '/') : path + ending
  const query = random() < 0.25 ? pick(queries, random) : ''
  const isModelPage = isForModels || fullPath.endsWith('.md')
  return { target: encodePath(fullPath, random) + query, isForModels: isModelPage }
}

/** Encodes what must be encoded, and now and then any other character, with hex digits in either case. */
function encodePath(path: string, random: Random): string {
  const encodesMore = random() < 0.15
  let encoded = ''
  for (const character of path) {
    const mustEncode = !/[A-Za-z0-9/._~!$&'()*+,;=:@-]/.test(character)
    encoded +=
      mustEncode || (encodesMore && random() < 0.3 && character !== '/') ? encodeBytes(character, random) : character
  }
  return encoded
}

function encodeBytes(character: string, random: Random): string {
  const hex = [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  return random() < 0.5 ? hex : hex.toUpperCase()
}

/** What a site serves besides its pages. */
export const assets = [
  '/assets/app.js',
  '/assets/app.9f8e.css',
  '/logo.svg',
  '/images/a%20b.png?v=2',
  '/favicon.ico',
  '/fonts/inter.woff2',
  '/robots.txt',
  '/sitemap.xml',
  '/openapi.json',
  '/docs/start.pdf',
  '/docs/start.html5',
  '/%64ata.json',
  '/llms.txt.gz',
]

export const tooLongPage = `/${'long/'.repeat(300)}`

export function pick<Item>(items: readonly Item[], random: Random): Item {
  if (items.length === 0) throw new Error('cannot pick from an empty list')
  return items[Math.floor(random() * items.length)] as Item
}
