import { readFileSync } from 'node:fs'

export interface SystemUser {
  uid: number
  gid: number
}

/** The user that PostgreSQL and Gitea run as if this process is root; both refuse to run as root. */
export function unprivilegedUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    const line = readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .find((entry) => entry.startsWith(`${name}:`))
    const [, , uid, gid] = line?.split(':') ?? []
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error('Running the services as root requires a user named postgres or nobody.')
}

/** The command prefix that runs a command as this user. Empty if there is neither a user nor an option. */
export function setprivPrefix(user: SystemUser | undefined, options: readonly string[] = []): string[] {
  const identity = user ? [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : []
  if (identity.length === 0 && options.length === 0) return []
  return ['setpriv', ...options, ...identity, '--']
}
