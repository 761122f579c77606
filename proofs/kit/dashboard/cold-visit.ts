/** Somebody opens a page of the dashboard for the first time: nothing is in the browser's cache. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Browser, chromium, type Request } from 'playwright-core'
import { findBinary } from '../../../dev-services/find-binary.ts'

export interface Useful {
  /** At least one element of this kind is there … */
  selector: string
  /** … and each of these texts. */
  texts: readonly string[]
}

export interface Visit {
  /** From the start of the navigation until what is useful was painted. */
  usefulMs: number
  /** What the page's main thread worked until then: the rest is waiting, for answers or for a processor that others have. */
  workedMs: number
  /** As sent: mostly gzip. */
  scriptBytes: number
  /** Requests to other origins than the page's own. */
  elsewhere: string[]
  /** What the browser complained about: a Content-Security-Policy that stands in the way, an error of a script. */
  complaints: string[]
}

const givenUpMs = 30_000

export function openChromium(): Promise<Browser> {
  const executablePath = findBinary('chromium')
  if (executablePath === undefined) throw new Error('chromium is missing: apt-get install chromium')
  // Its own sandbox wants privileges that a container does not have; it sees no page but ours.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] })
}

export async function visitCold(
  browser: Browser,
  { url, cookies, useful }: { url: string; cookies: ReadonlyMap<string, string>; useful: Useful },
): Promise<Visit> {
  const { origin, host } = new URL(url)
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  try {
    // Browsers take localhost for as safe as https, and keep cookies that are for https alone.
    const given = { url: `https://${host}`, secure: true, httpOnly: true, sameSite: 'Lax' } as const
    await context.addCookies([...cookies].map(([name, value]) => ({ name, value, ...given })))
    const tab = await context.newPage()
    const elsewhere: string[] = []
    const complaints: string[] = []
    const scripts: Request[] = []
    tab.on('request', (request) => {
      if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith('data:image/'))
        elsewhere.push(request.url())
    })
    tab.on('requestfinished', (request) => {
      if (request.resourceType() === 'script') scripts.push(request)
    })
    tab.on('pageerror', (error) => complaints.push(error.message))
    tab.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    const devtools = await context.newCDPSession(tab)
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
    const painted = Promise.withResolvers<number>()
    await tab.exposeFunction('tellUseful', painted.resolve)
    await tab.addInitScript(watchForUseful(useful))
    await tab.goto(url)
    const usefulMs = await Promise.race([painted.promise, givenUp(url, complaints)])
    const { metrics } = await devtools.send('Performance.getMetrics')
    const workedMs = 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN)
    await tab.waitForLoadState('networkidle')
    const scriptBytes = (await Promise.all(scripts.map((script) => script.sizes()))).reduce(
      (sum, { responseBodySize }) => sum + responseBodySize,
      0,
    )
    return { usefulMs, workedMs, scriptBytes, elsewhere, complaints }
  } finally {
    await context.close()
  }
}

/** Runs in the page, whose clock starts with the navigation. Looks at every frame, and counts the one that painted it. */
const watchForUseful = ({ selector, texts }: Useful) => `
  const look = () => {
    const shown = document.body?.textContent ?? ''
    const isThere = document.querySelector(${JSON.stringify(selector)})
    if (isThere && ${JSON.stringify(texts)}.every((text) => shown.includes(text)))
      requestAnimationFrame(() => void tellUseful(performance.now()))
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)`

async function givenUp(url: string, complaints: readonly string[]): Promise<never> {
  await sleep(givenUpMs, undefined, { ref: false })
  throw new Error(`${url} shows nothing useful: ${complaints.join('; ') || 'no complaints'}`)
}
