import { readFileSync } from 'node:fs'

export interface SystemUser {
  uid: number
  gid: number
}

/** Whom PostgreSQL and Gitea run as when we are root; both refuse to be root. */
export function unprivilegedUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((entry) => entry.startsWith(`${name}:`))
    const [, , uid, gid] = line?.split(':') ?? []
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error('Running the engines as root needs a user named postgres or nobody for them.')
}

/** What to put before a command so that it runs as this user; nothing for ourselves. */
export function asUser(user: SystemUser | undefined, options: readonly string[] = []): string[] {
  const identity = user ? [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : []
  if (identity.length === 0 && options.length === 0) return []
  return ['setpriv', ...options, ...identity, '--']
}
