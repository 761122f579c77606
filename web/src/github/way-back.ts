/**
 * For whom somebody went to which GitHub. What they bring back names neither, and is good only for whoever left; so the tab
 * that they left from remembers it.
 */
export interface Visit {
  projectId: string
  baseUrl: string
}

const name = 'colophon.github-visit'

export const rememberVisit = (visit: Visit): void => sessionStorage.setItem(name, JSON.stringify(visit))

export function rememberedVisit(): Visit | undefined {
  const kept = sessionStorage.getItem(name)
  return kept === null ? undefined : JSON.parse(kept)
}
