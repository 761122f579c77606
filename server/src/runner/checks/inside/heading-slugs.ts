/** The anchors of headings, as GitHub and most site generators create them. The second of two equal slugs gets the suffix `-1`. */
export function createHeadingSlugs(headings: readonly string[]): string[] {
  const counts = new Map<string, number>()
  return headings.map((heading) => {
    const slug = heading
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-')
    const count = counts.get(slug) ?? 0
    counts.set(slug, count + 1)
    return count === 0 ? slug : `${slug}-${count}`
  })
}

/** Site generators differ in dashes and leading digits: anchors that are equal after this count as the same. */
export const normalizeAnchor = (anchor: string): string =>
  anchor
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '')
