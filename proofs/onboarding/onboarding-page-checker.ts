/** Opens pages in light and dark, on desktop and phone, runs axe on them, and saves screenshots for review. */
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { ProofRun } from '../proof.ts'
import {
  colorSchemes,
  findAccessibilityIssues,
  horizontalOverflowPixels,
  openMonitoredTab,
  type ScreenSize,
  screenSizes,
} from './monitored-tab.ts'
import { Newcomer } from './newcomer.ts'

export interface PageToCheck {
  name: string
  path: string
  /** Visible when the page has loaded. */
  heading: string | RegExp
  /** Runs before the screenshot. */
  act?(newcomer: Newcomer): Promise<void>
  isPublic?: true
  /** The page shows a rejected request, which the browser reports as an error. */
  showsRejection?: true
}

export interface OnboardingPageChecker {
  /** Can be called repeatedly. */
  capture(pages: readonly PageToCheck[]): Promise<void>
  report(): void
}

export function createPageChecker(
  run: ProofRun,
  {
    browser,
    origin,
    context,
    hostUrl,
    screenshotDirectory,
  }: {
    browser: Browser
    origin: string
    /** The context of a person who is signed in. */
    context: BrowserContext
    hostUrl: string
    /** Directory for screenshots. */
    screenshotDirectory: string
  },
): OnboardingPageChecker {
  let pageCount = 0
  let screenshotCount = 0
  return {
    async capture(pages) {
      pageCount += pages.length
      const cookies = await context.cookies()
      for (const screen of Object.keys(screenSizes) as ScreenSize[]) {
        for (const colorScheme of colorSchemes) {
          if (run.size === 'ci' && (screen === 'phone') !== (colorScheme === 'dark')) continue
          // A person who is signed in is redirected from public pages, so these are opened in a tab without a session.
          for (const isPublic of [false, true]) {
            const group = pages.filter((page) => (page.isPublic === true) === isPublic)
            if (group.length === 0) continue
            const tab = await openMonitoredTab(browser, origin, {
              colorScheme,
              screen,
              hostUrl,
              cookies: isPublic ? [] : cookies,
            })
            const newcomer = new Newcomer(tab.page, origin)
            for (const { name, path, heading, act, showsRejection } of group) {
              const variant = `${name}, ${colorScheme}, ${screen}`
              await newcomer.open(path)
              await act?.(newcomer)
              await newcomer.seeHeading(heading)
              await waitUntilLoaded(tab.page)
              // Screenshots are for people, so the small run takes none.
              if (run.size !== 'ci') {
                const file = join(screenshotDirectory, `${name}-${screen}-${colorScheme}.png`)
                await takeScreenshot(tab.page, screenSizes[screen], file)
                screenshotCount++
              }
              for (const finding of await findAccessibilityIssues(tab.page))
                run.check(false, `${variant}: axe finds no serious issues, found ${finding}`)
              const overflowPixels = await horizontalOverflowPixels(tab.page)
              run.check(
                overflowPixels <= 0,
                `${variant}: the page does not overflow horizontally, got ${overflowPixels} px`,
              )
              const externalRequests = tab.externalRequests.splice(0)
              run.check(
                externalRequests.length === 0,
                `${variant}: no external requests, got ${externalRequests.join(', ')}`,
              )
              const browserErrors = tab.browserErrors
                .splice(0)
                .filter((text) => !(showsRejection && isRejectedRequestError(text)))
              run.check(browserErrors.length === 0, `${variant}: no browser errors, got ${browserErrors.join('; ')}`)
            }
            await tab.context.close()
          }
        }
      }
    },
    report() {
      run.log(`${pageCount} pages, ${screenshotCount} screenshots in ${screenshotDirectory}`)
      run.figure('pages, screenshots', `${pageCount}, ${screenshotCount}`)
    },
  }
}

/** On a slow machine the network can be idle before the page sends its requests, so it also waits for the placeholders. */
async function waitUntilLoaded(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle')
  // Not `waitForFunction`, which evaluates a string in the page if it has to wait: the content security policy forbids that.
  await page.locator('.mantine-Skeleton-root[data-visible]').first().waitFor({ state: 'detached' })
}

/** Whether a browser error reports a 4xx response. */
export const isRejectedRequestError = (browserError: string): boolean => /status of 40\d/.test(browserError)

const maxHeight = 4_000

/** The full page, in a viewport of its height: full-page screenshots beyond the viewport draw charts too wide. */
async function takeScreenshot(page: Page, viewport: { width: number; height: number }, path: string): Promise<void> {
  for (let height = 0; ; ) {
    const currentHeight = Math.min(await page.evaluate<number>('document.documentElement.scrollHeight'), maxHeight)
    if (currentHeight <= height) break // repeats until late content is laid out as well
    height = currentHeight
    await page.setViewportSize({ ...viewport, height: Math.max(height, viewport.height) })
    await page.waitForTimeout(300) // charts resize with the viewport
  }
  await page.screenshot({ path })
  await page.setViewportSize(viewport)
}
