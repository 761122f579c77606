/**
 * Reduces a user agent to what the classification needs, before it is stored: the exact versions of a browser can identify a person, and
 * anyone can report views with invented user agents, which would take space forever. The reduced one is classified like the original.
 */
import type { ClientClass } from './client-class.ts'

const maxCharacters = 200

/** The first that occurs decides: the user agents of many browsers name others as well. */
const browsers = [
  ['Edge', /\bEdg(?:e|A|iOS)?\/(\d{1,3})/],
  ['Opera', /\b(?:OPR|Opera)\/(\d{1,3})/],
  ['Samsung', /\bSamsungBrowser\/(\d{1,3})/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d{1,3})/],
  ['Chrome', /\b(?:Chrome|CriOS)\/(\d{1,3})/],
  ['Safari', /\bVersion\/(\d{1,3})[\d.]* (?:Mobile\/\w+ )?Safari\//],
] as const

const systems = [
  ['iOS', /\b(?:iPhone|iPad|iPod)\b/],
  ['Android', /\bAndroid\b/],
  ['Windows', /\bWindows\b/],
  ['macOS', /\bMac OS X\b/],
  ['ChromeOS', /\bCrOS\b/],
  ['Linux', /\b(?:Linux|X11)\b/],
] as const

export const reduceUserAgent = (userAgent: string, clientClass: ClientClass): string =>
  clientClass === 'human' ? reduceBrowser(userAgent) : reduceVersions(userAgent)

/** One of a few thousand texts, which a browser could have sent. */
function reduceBrowser(userAgent: string): string {
  const system = systems.find(([, pattern]) => pattern.test(userAgent))?.[0] ?? 'Other'
  for (const [name, pattern] of browsers) {
    const [, version] = pattern.exec(userAgent) ?? []
    if (version !== undefined) return `Mozilla/5.0 (${system}) Gecko/0 ${name}/${version}`
  }
  return `Mozilla/5.0 (${system}) Gecko/0`
}

/** Begins only at the first digit of a number: otherwise a user agent of 1,000 digits takes a millisecond. */
const dottedVersion = /(?<!\d)(\d+)(?:\.\d+)+/g

/** Other clients keep their words, because a later version of the list may know one of them. */
const reduceVersions = (userAgent: string): string =>
  userAgent.replace(dottedVersion, (text, major: string) => (text === '5.0' ? text : major)).slice(0, maxCharacters)
