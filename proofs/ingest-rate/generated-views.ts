/** Views as the servers of a site with many pages report them. */
export interface GeneratedView {
  path: string
  userAgent: string
  at: string
}

const pages = 5_000
const dayMs = 24 * 3600 * 1000

/** Clients whose views are all counted if `servers` is the source for humans. */
const userAgents = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Safari/605.1.15',
  'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ChatGPT-User/1.0; +https://openai.com/bot)',
  'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
]

/** In the current month, so that a batch becomes one ClickHouse block, as most do. */
export function generateViews(count: number, random: () => number): GeneratedView[] {
  const now = Date.now()
  const sinceMs = Math.min(dayMs, now - startOfMonth(now))
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item
  return Array.from({ length: count }, () => {
    const page = Math.floor(random() ** 3 * pages)
    return {
      path: `/docs/section-${page % 50}/page-${page}${pick(['', '/', '.html', '.md', '?utm_source=mail'])}`,
      userAgent: pick(userAgents),
      at: new Date(now - random() * sinceMs).toISOString(),
    }
  })
}

function startOfMonth(ms: number): number {
  const at = new Date(ms)
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth())
}
