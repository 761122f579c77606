/** A browser tab that records external requests, blocked content, errors and dialogs, and can run axe. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContext, Page } from 'playwright-core'

export const colorSchemes = ['light', 'dark'] as const
export const screenSizes = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const
export type ColorScheme = (typeof colorSchemes)[number]
export type ScreenSize = keyof typeof screenSizes

export interface MonitoredTab {
  context: BrowserContext
  page: Page
  /** Requests to other origins. */
  externalRequests: string[]
  browserErrors: string[]
}

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

export async function openMonitoredTab(
  browser: Browser,
  origin: string,
  {
    colorScheme,
    screen,
    cookies = [],
    hostUrl,
  }: {
    colorScheme: ColorScheme
    screen: ScreenSize
    cookies?: Awaited<ReturnType<BrowserContext['cookies']>>
    /** The URL of a code host that may be opened in this tab. Requests of its own pages are not recorded. */
    hostUrl?: string
  },
): Promise<MonitoredTab> {
  const context = await browser.newContext({
    viewport: screenSizes[screen],
    colorScheme,
    reducedMotion: 'reduce',
    ...(screen === 'phone' && { isMobile: true, hasTouch: true, deviceScaleFactor: 2 }),
  })
  await context.addCookies(cookies)
  // As an init script, axe bypasses the Content-Security-Policy of the pages.
  await context.addInitScript({ content: axeSource })
  const page = await context.newPage()
  const externalRequests: string[] = []
  const browserErrors: string[] = []
  const isOnHost = (url: string) => hostUrl !== undefined && url.startsWith(`${hostUrl}/`)
  page.on('request', (request) => {
    const url = request.url()
    if (url.startsWith(`${origin}/`) || url.startsWith('data:image/')) return
    const isNavigation = request.isNavigationRequest() && request.frame() === page.mainFrame()
    const isFromOurPage = !isOnHost(isNavigation ? url : request.frame().url())
    if (isFromOurPage) externalRequests.push(url)
  })
  page.on('pageerror', (error) => browserErrors.push(error.message))
  page.on('dialog', (dialog) => {
    browserErrors.push(`a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('console', (message) => {
    if (message.type() === 'error' && !isOnHost(message.location().url))
      browserErrors.push(`${message.text()} (${message.location().url})`)
  })
  return { context, page, externalRequests, browserErrors }
}

/** Serious and critical accessibility violations that axe finds. */
export async function findAccessibilityIssues(page: Page): Promise<string[]> {
  const violations = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(): Promise<{ violations: { id: string; impact: string; help: string; nodes: { html: string }[] }[] }> }
    }
    return (await axe.run()).violations
  })
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`)
}

/** By how many pixels the page is wider than the viewport. */
export const horizontalOverflowPixels = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
