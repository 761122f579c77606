/**
 * Pages of a site, and the many ways to ask for one. The page is chosen first and its spelling made from it: what a request
 * should be counted as is known, and never worked out from the request.
 */
type Random = () => number

/** What a request of a page looks like. */
export interface Spelling {
  /** As on a request line: encoded, perhaps with a query. */
  target: string
  /** Written for models: by reading it an unknown client shows what it is. */
  isForModels: boolean
}

/** The names that are hard: versions, other scripts, what JSON, SQL, CSV and URLs give a meaning to. */
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
  /** What is counted. */
  path: string
  isForModels: boolean
}

export function makeSitePages(count: number, random: Random): SitePage[] {
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

export function spell({ path, isForModels }: SitePage, forModels: boolean, random: Random): Spelling {
  const ending = isForModels ? '' : pick(forModels ? modelEndings : plainEndings, random)
  const whole = path === '/' ? (ending.startsWith('/') ? ending : '/') : path + ending
  const query = random() < 0.25 ? pick(queries, random) : ''
  const isReallyForModels = isForModels || whole.endsWith('.md')
  return { target: encodePath(whole, random) + query, isForModels: isReallyForModels }
}

/** What has to be encoded is; of the rest, now and then, any character, in either letter case. */
function encodePath(path: string, random: Random): string {
  const encodesMore = random() < 0.15
  let encoded = ''
  for (const character of path) {
    const must = !/[A-Za-z0-9/._~!$&'()*+,;=:@-]/.test(character)
    encoded += must || (encodesMore && random() < 0.3 && character !== '/') ? encodeBytes(character, random) : character
  }
  return encoded
}

function encodeBytes(character: string, random: Random): string {
  const hex = [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  return random() < 0.5 ? hex : hex.toUpperCase()
}

/** What a site serves beside its pages. */
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
  if (items.length === 0) throw new Error('there is something to pick from')
  return items[Math.floor(random() * items.length)] as Item
}
