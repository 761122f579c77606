/** Every page, light and dark, on a desk and on a phone: looked at by axe, and kept as a picture for people to look at. */
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { ProofRun } from '../../proof.ts'
import { Newcomer } from './newcomer.ts'
import { looks, type Screen, screens, seriousFindings, sidewaysPixels, watchedTab } from './watched-browser.ts'

export interface Stop {
  name: string
  path: string
  /** There when the page is. */
  heading: string | RegExp
  /** To be done there before one looks. */
  act?(newcomer: Newcomer): Promise<void>
  isForAnybody?: true
  /** The page shows how something is refused, of which the browser tells too. */
  isRefused?: true
}

export interface Tour {
  /** Can be called when there is something to see, and again when there is more. */
  look(stops: readonly Stop[]): Promise<void>
  end(): void
}

export function startTour(
  run: ProofRun,
  {
    browser,
    origin,
    context,
    hostUrl,
    pictures,
  }: {
    browser: Browser
    origin: string
    /** Of somebody who is signed in. */
    context: BrowserContext
    hostUrl: string
    /** Where the pictures go. */
    pictures: string
  },
): Tour {
  let pages = 0
  let taken = 0
  return {
    async look(stops) {
      pages += stops.length
      const cookies = await context.cookies()
      for (const screen of Object.keys(screens) as Screen[]) {
        for (const look of looks) {
          if (run.size === 'ci' && (screen === 'phone') !== (look === 'dark')) continue
          // Who is signed in is sent away from the door, so its pages are looked at by somebody who is not.
          for (const isForAnybody of [false, true]) {
            const here = stops.filter((stop) => (stop.isForAnybody === true) === isForAnybody)
            if (here.length === 0) continue
            const tab = await watchedTab(browser, origin, {
              look,
              screen,
              hostUrl,
              cookies: isForAnybody ? [] : cookies,
            })
            const newcomer = new Newcomer(tab.page, origin)
            for (const { name, path, heading, act, isRefused } of here) {
              const where = `${name}, ${look}, ${screen}`
              await newcomer.open(path)
              await act?.(newcomer)
              await newcomer.seeHeading(heading)
              await tab.page.waitForLoadState('networkidle')
              await takePicture(tab.page, screens[screen], join(pictures, `${name}-${screen}-${look}.png`))
              taken++
              for (const finding of await seriousFindings(tab.page)) run.check(false, `${where}: axe finds ${finding}`)
              const sideways = await sidewaysPixels(tab.page)
              run.check(sideways <= 0, `${where}: nothing is wider than the screen (${sideways} pixels)`)
              const elsewhere = tab.elsewhere.splice(0)
              run.check(elsewhere.length === 0, `${where}: asks nobody else: ${elsewhere.join(', ')}`)
              const complaints = tab.complaints.splice(0).filter((text) => !(isRefused && isAboutRefusal(text)))
              run.check(complaints.length === 0, `${where}: no complaints: ${complaints.join('; ')}`)
            }
            await tab.context.close()
          }
        }
      }
    },
    end() {
      run.say(`${pages} pages, ${taken} pictures: ${pictures}`)
      run.figure('pages, pictures', `${pages}, ${taken}`)
    },
  }
}

/** What a browser says of an answer that is a refusal. */
export const isAboutRefusal = (complaint: string): boolean => /status of 40\d/.test(complaint)

const tallest = 4_000

/** All of the page, in a window as tall as it is: a picture of what is below the window draws charts too wide. */
async function takePicture(page: Page, window: { width: number; height: number }, path: string): Promise<void> {
  for (let height = 0; ; ) {
    const now = Math.min(await page.evaluate<number>('document.documentElement.scrollHeight'), tallest)
    if (now <= height) break // what came late has its place too
    height = now
    await page.setViewportSize({ ...window, height: Math.max(height, window.height) })
    await page.waitForTimeout(300) // charts follow the window
  }
  await page.screenshot({ path })
  await page.setViewportSize(window)
}
