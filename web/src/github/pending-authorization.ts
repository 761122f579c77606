/**
 * The project and the GitHub server of an authorization in progress. GitHub's redirect names neither, and is valid only for
 * the person who started it, so the tab that started it remembers them.
 */
export interface PendingAuthorization {
  projectId: string
  baseUrl: string
}

const storageKey = 'colophon.github-authorization'

export const savePendingAuthorization = (authorization: PendingAuthorization): void =>
  sessionStorage.setItem(storageKey, JSON.stringify(authorization))

export function loadPendingAuthorization(): PendingAuthorization | undefined {
  const stored = sessionStorage.getItem(storageKey)
  return stored === null ? undefined : JSON.parse(stored)
}
