/** A browser that notices what nobody sees: requests to elsewhere, what the policy blocked, errors, dialogs, what axe finds. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContext, Page } from 'playwright-core'

export const looks = ['light', 'dark'] as const
export const screens = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const
export type Look = (typeof looks)[number]
export type Screen = keyof typeof screens

export interface WatchedTab {
  context: BrowserContext
  page: Page
  /** Requests that left our origin. */
  elsewhere: string[]
  complaints: string[]
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export async function watchedTab(
  browser: Browser,
  origin: string,
  {
    look,
    screen,
    cookies = [],
    hostUrl,
  }: {
    look: Look
    screen: Screen
    cookies?: Awaited<ReturnType<BrowserContext['cookies']>>
    /** Of a code host that somebody may go to in this tab. What its own pages ask for is its own affair. */
    hostUrl?: string
  },
): Promise<WatchedTab> {
  const context = await browser.newContext({
    viewport: screens[screen],
    colorScheme: look,
    reducedMotion: 'reduce',
    ...(screen === 'phone' && { isMobile: true, hasTouch: true, deviceScaleFactor: 2 }),
  })
  await context.addCookies(cookies)
  // axe has to be let into pages whose policy lets nothing in: from outside of it.
  await context.addInitScript({ content: axeSource })
  const page = await context.newPage()
  const elsewhere: string[] = []
  const complaints: string[] = []
  const isOnHost = (url: string) => hostUrl !== undefined && url.startsWith(`${hostUrl}/`)
  page.on('request', (request) => {
    const url = request.url()
    if (url.startsWith(`${origin}/`) || url.startsWith('data:image/')) return
    const goesThere = request.isNavigationRequest() && request.frame() === page.mainFrame()
    const isOurs = !isOnHost(goesThere ? url : request.frame().url())
    if (isOurs) elsewhere.push(url)
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    if (message.type() === 'error' && !isOnHost(message.location().url))
      complaints.push(`${message.text()} (${message.location().url})`)
  })
  return { context, page, elsewhere, complaints }
}

/** What somebody with a screen reader or a keyboard would stumble over badly. */
export async function seriousFindings(page: Page): Promise<string[]> {
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; impact: string; help: string; nodes: { html: string }[] }[] }> }
    }
    return (await axe.run()).violations
  })
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`)
}

/** By how many pixels the page is wider than the screen. */
export const sidewaysPixels = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
