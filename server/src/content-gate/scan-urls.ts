/** URLs that execute something when they are opened. */
import { type ActiveItem, findItems } from './active-content.ts'

const entities: Readonly<Record<string, string>> = {
  colon: ':',
  tab: '\t',
  newline: '\n',
  lpar: '(',
  sol: '/',
  amp: '&',
}

/** As a browser or a Markdown parser reads it: entities, escapes and ignored characters resolved. Lines are kept if possible. */
function normalizeUrls(text: string): string {
  return (
    text
      .replaceAll(/&#x([0-9a-f]{1,6});?|&#(\d{1,7});?|&([a-z]+);/gi, (match, hex, decimal, name) => {
        const named = name === undefined ? undefined : entities[name.toLowerCase()]
        if (named !== undefined) return named
        if (name !== undefined) return match
        const codePoint = hex ? Number.parseInt(hex, 16) : Number(decimal)
        return codePoint <= 0x10ffff ? String.fromCodePoint(codePoint) : match
      })
      .replaceAll(/\\(?=[!-/:-@[-`{-~])/g, '')
      .replaceAll(/\{(?:empty|blank|zwsp|wj|sp)\}/g, '') // AsciiDoc attributes without a visible value
      // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers ignore these characters in front of a scheme
      .replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f\u00ad\u200b-\u200d\u2060\ufeff]/g, '')
  )
}

const spell = (word: string): string => [...word].join('\\n*')
const schemes = ['javascript', 'vbscript', 'livescript', 'mocha'].map(spell).join('|')
/** With a space after the colon only where a URL can be: "JavaScript: the language" is text. */
const scriptScheme = new RegExp(
  `(?<![\\w/-])(?:${schemes})\\n*:(?=\\S)[^\\s)>\\]"']*|(?<=["'(<=]\\s*)(?:${schemes})\\s*:[^)>\\]"']*`,
  'gi',
)
/** Only where a URL can be: "data:" is also a word. Images in formats without scripts are allowed. */
const dataScheme =
  /(?<=[(<"'=[:]\s*)(?:data:(?!image\/(?:png|jpe?g|gif|webp|avif)[;,])[\w/+.-]+[;,]|blob:|filesystem:|file:\/\/|view-source:)[^\s)>\]"']*/gi

/** `text` must be without code. */
export function findScriptUrls(text: string): ActiveItem[] {
  const normalized = normalizeUrls(text)
  return [scriptScheme, dataScheme].flatMap((pattern) =>
    findItems(normalized, pattern, ([match]) => ({ kind: 'script_url', text: match })),
  )
}
