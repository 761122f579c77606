/** Opens a page of the dashboard with an empty browser cache. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Browser, chromium, type Request } from 'playwright-core'
import { findBinary } from '../../testing/services/find-binary.ts'

export interface UsefulContent {
  /** At least one element matches … */
  selector: string
  /** … and the page contains each of these texts. */
  texts: readonly string[]
}

export interface PageLoad {
  /** From the start of the navigation until the useful content was painted. */
  usefulMs: number
  /** Time that the page's main thread worked until then: the rest is waiting, for responses or for a busy processor. */
  mainThreadMs: number
  /** As transferred, mostly with gzip. */
  scriptBytes: number
  /** Requests to other origins than the page's own. */
  externalRequests: string[]
  /** Console errors: Content-Security-Policy violations and script errors. */
  browserErrors: string[]
}

const timeoutMs = 30_000

export function openChromium(): Promise<Browser> {
  const executablePath = findBinary('chromium')
  if (executablePath === undefined) throw new Error('chromium is missing: apt-get install chromium')
  // Chromium's sandbox needs privileges that a container does not have; it only opens our pages.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] })
}

export async function measureColdPageLoad(
  browser: Browser,
  { url, cookies, useful }: { url: string; cookies: ReadonlyMap<string, string>; useful: UsefulContent },
): Promise<PageLoad> {
  const { origin, host } = new URL(url)
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  try {
    // Browsers treat localhost as a secure context and keep Secure cookies.
    const attributes = { url: `https://${host}`, secure: true, httpOnly: true, sameSite: 'Lax' } as const
    await context.addCookies([...cookies].map(([name, value]) => ({ name, value, ...attributes })))
    const tab = await context.newPage()
    const externalRequests: string[] = []
    const browserErrors: string[] = []
    const scripts: Request[] = []
    tab.on('request', (request) => {
      if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith('data:image/'))
        externalRequests.push(request.url())
    })
    tab.on('requestfinished', (request) => {
      if (request.resourceType() === 'script') scripts.push(request)
    })
    tab.on('pageerror', (error) => browserErrors.push(error.message))
    tab.on('console', (message) => {
      if (message.type() === 'error') browserErrors.push(message.text())
    })
    const devtools = await context.newCDPSession(tab)
    await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
    const painted = Promise.withResolvers<number>()
    await tab.exposeFunction('reportUseful', painted.resolve)
    await tab.addInitScript(watchForUseful(useful))
    await tab.goto(url)
    const usefulMs = await Promise.race([painted.promise, rejectAfterTimeout(url, browserErrors)])
    const { metrics } = await devtools.send('Performance.getMetrics')
    const mainThreadMs = 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN)
    await tab.waitForLoadState('networkidle')
    const scriptBytes = (await Promise.all(scripts.map((script) => script.sizes()))).reduce(
      (sum, { responseBodySize }) => sum + responseBodySize,
      0,
    )
    return { usefulMs, mainThreadMs, scriptBytes, externalRequests, browserErrors }
  } finally {
    await context.close()
  }
}

/** Runs in the page, whose clock starts with the navigation. Checks every frame and reports the time of the one that painted it. */
const watchForUseful = ({ selector, texts }: UsefulContent) => `
  const check = () => {
    const shown = document.body?.textContent ?? ''
    const isThere = document.querySelector(${JSON.stringify(selector)})
    if (isThere && ${JSON.stringify(texts)}.every((text) => shown.includes(text)))
      requestAnimationFrame(() => void reportUseful(performance.now()))
    else requestAnimationFrame(check)
  }
  requestAnimationFrame(check)`

async function rejectAfterTimeout(url: string, browserErrors: readonly string[]): Promise<never> {
  await sleep(timeoutMs, undefined, { ref: false })
  throw new Error(
    `${url} does not show the useful content after 30 s: ${browserErrors.join('; ') || 'no browser errors'}`,
  )
}
