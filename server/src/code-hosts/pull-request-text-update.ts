import type { PullRequestText } from './code-host.ts'

/** The update of a pull request's text; undefined: nothing to change. Text that people have edited is kept. */
export function computeTextUpdate(
  current: PullRequestText,
  { previous, updated }: { previous: PullRequestText; updated: PullRequestText },
): PullRequestText | undefined {
  const title = current.title === previous.title ? updated.title : current.title
  const isBodyUnedited = normalizeLines(current.body) === normalizeLines(previous.body)
  const body = isBodyUnedited ? updated.body : current.body
  const isSame = title === current.title && normalizeLines(body) === normalizeLines(current.body)
  return isSame ? undefined : { title, body }
}

/** Hosts change line endings and trim trailing whitespace. */
const normalizeLines = (text: string) => text.replaceAll('\r\n', '\n').trim()
