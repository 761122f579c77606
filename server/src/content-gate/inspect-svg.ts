/** SVG images without anything that a browser executes or loads. An allow list, because SVG has too many active features to name. */

const elements = new Set(
  `svg g defs symbol use title desc metadata path rect circle ellipse line polyline polygon text tspan textpath marker lineargradient
  radialgradient stop clippath mask pattern filter fegaussianblur feoffset feblend fecolormatrix fecomponenttransfer fefuncr fefuncg
  fefuncb fefunca fecomposite feflood femerge femergenode fedropshadow feturbulence style switch view`.split(/\s+/),
)
const attribute =
  /^(?:xmlns(?::[a-z]+)?|xml:(?:space|lang)|(?:sodipodi|inkscape):[\w-]+|aria-[\w-]+|data-[\w-]+|(?!on)[a-z][\w-]*)$/i

const plainDoctype =
  /<!DOCTYPE\s+svg\s+PUBLIC\s+"-\/\/W3C\/\/DTD SVG [\d.]+\/\/EN"\s*"http:\/\/www\.w3\.org\/[\w./-]+"\s*>/i

/** Undefined: the image is inert. Otherwise what is not allowed. */
export function findActiveSvg(text: string): string | undefined {
  const source = text.replace(/^\ufeff/, '').replaceAll(/<!--[\s\S]*?-->/g, ' ')
  // Entities and processing instructions can produce any markup.
  const withoutDeclarations = source.replace(/^\s*<\?xml\s[^>]*\?>/i, ' ').replace(plainDoctype, ' ')
  const declaration = /<[!?][^>]*/.exec(withoutDeclarations)
  if (declaration) return declaration[0].slice(0, 100)
  if (/&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-f]+);)/i.test(withoutDeclarations)) return 'an entity'
  // A prefix that means SVG or HTML would allow any element.
  const prefix = /xmlns:(?!svg\b|xlink\b)[\w.-]+\s*=\s*["'][^"']*(?:\/svg|xhtml|MathML|XSL)[^"']*["']/i.exec(
    withoutDeclarations,
  )
  if (prefix) return prefix[0].slice(0, 100)
  const tag = /<\/?([^\s/>]*)((?:[^>"']|"[^"]*"|'[^']*')*)>/g
  const rest = withoutDeclarations.replaceAll(tag, (match) => ' '.repeat(match.length))
  if (rest.includes('<')) return 'a tag without an end'
  for (const [match, name = '', attributes = ''] of withoutDeclarations.matchAll(tag)) {
    if (!elements.has(name.toLowerCase()) && !/^(?:sodipodi|rdf|cc|dc|inkscape):[\w-]+$/i.test(name))
      return match.slice(0, 100)
    const problem = findActiveAttribute(attributes)
    if (problem !== undefined) return problem
  }
  const styles = [...withoutDeclarations.matchAll(/<style[^>]*>([\s\S]*?)<\/style/gi)].map(([, css = '']) => css)
  return styles.map(findActiveCss).find((problem) => problem !== undefined)
}

function findActiveAttribute(attributes: string): string | undefined {
  const one = /\s*([^\s=/]+)\s*=\s*("[^"]*"|'[^']*')|\s*\/\s*$|\s+$/g
  if (attributes.replaceAll(one, '').trim() !== '') return attributes.trim().slice(0, 100)
  for (const [match, name = '', quoted = ''] of attributes.matchAll(one)) {
    if (name === '') continue
    const value = quoted.slice(1, -1)
    if (!attribute.test(name) && !/^xlink:(?:href|title|type|show|role)$/i.test(name)) return match.trim()
    if (/^(?:xlink:)?href$|^src$/i.test(name) && !/^\s*#/.test(value)) return match.trim().slice(0, 100)
    if (/script\s*:|&#|expression\s*\(/i.test(value) || findActiveCss(value) !== undefined)
      return match.trim().slice(0, 100)
  }
  return undefined
}

/** A reference to anything but a part of the same image. */
const findActiveCss = (css: string): string | undefined =>
  /@import|@font-face|url\(\s*(?!["']?#)[^)]*|&#|expression\s*\(|\\[0-9a-f]|-moz-binding|behavior\s*:/i
    .exec(css)?.[0]
    .slice(0, 100)
