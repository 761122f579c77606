/** Looks up once a day whether a newer release exists, if the operator has set the URL of a feed. Nothing else calls home. */

import { type BackgroundTask, startBackgroundTask } from '../../platform/background-task.ts'
import type { Egress } from '../../platform/egress/egress.ts'
import { isNewerVersion } from '../../platform/is-newer-version.ts'
import type { Log } from '../../platform/log.ts'
import { version } from '../../platform/version.ts'

const hourMs = 60 * 60_000
const limits = { idleTimeoutSeconds: 10, deadlineSeconds: 30, maxResponseBytes: 2_000_000 }
const releaseVersion = /^v?(\d{1,6}\.\d{1,6}\.\d{1,6})$/

export function startReleaseWatcher({
  feedUrl,
  egress,
  onNewer,
  log,
}: {
  feedUrl: string
  egress: Egress
  /** Null: this version is the newest. */
  onNewer: (version: string | null) => void
  log: Log
}): BackgroundTask {
  const round = async (stopping: AbortSignal) => {
    const response = await egress.fetch(feedUrl, { headers: { accept: 'application/json' }, signal: stopping, limits })
    const text = await response.text()
    if (!response.ok) throw new Error(`the feed responded with ${response.status}`)
    onNewer(findNewerRelease(JSON.parse(text) as unknown, version))
  }
  return startBackgroundTask({
    round,
    intervalMs: 24 * hourMs,
    retryIntervalMs: hourMs,
    failureMessage: 'could not look up the newest release',
    log,
  })
}

interface FeedRelease {
  version?: unknown
  tag_name?: unknown
  prerelease?: unknown
  draft?: unknown
}

/**
 * The feed is one release or a list of them, with `version` or, as on GitHub, `tag_name`. Those that GitHub marks as a draft or a
 * pre-release are ignored, and others than x.y.z.
 */
export function findNewerRelease(feed: unknown, current: string): string | null {
  const versions = [feed].flat().flatMap((release) => {
    const { version: name, tag_name: tag, prerelease, draft } = (release ?? {}) as FeedRelease
    if (prerelease === true || draft === true) return []
    return releaseVersion.exec(String(name ?? tag))?.[1] ?? []
  })
  const newer = versions.filter((each) => isNewerVersion(each, current))
  return newer.reduce<string | null>((newest, each) => (newest && isNewerVersion(newest, each) ? newest : each), null)
}
