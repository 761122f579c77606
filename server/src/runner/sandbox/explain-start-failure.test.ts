import { expect, it } from 'vitest'
import { explainStartFailure } from './explain-start-failure.ts'

it.each([
  ['unshare: unshare failed: Operation not permitted', 'kernel.apparmor_restrict_unprivileged_userns=0'],
  ['unshare: write failed /proc/self/uid_map: Operation not permitted', 'does not let unprivileged users'],
  ['mount: /dev/shm: permission denied.', 'does not let unprivileged users'],
  ['unshare: unshare failed: No space left on device', 'user.max_user_namespaces'],
  ["bwrap: Can't mount proc on /newroot/proc: Operation not permitted", 'systempaths=unconfined'],
  ["bwrap: Can't find source path /root/colophon/server: Permission denied", 'nobody, if the runner is root'],
  ['bwrap: Unknown option --disable-userns', 'too old'],
  ['something else', 'something else'],
  ['', 'no error output'],
])('explains what to do about: %s', (errorOutput, advice) => expect(explainStartFailure(errorOutput)).toContain(advice))
