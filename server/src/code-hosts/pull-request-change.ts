import type { PullRequestText } from './code-host.ts'

/** What has to change in a pull request's text, or nothing: what people have rewritten is theirs. */
export function changeOfText(
  found: PullRequestText,
  { written, wanted }: { written: PullRequestText; wanted: PullRequestText },
): PullRequestText | undefined {
  const title = found.title === written.title ? wanted.title : found.title
  const isBodyOurs = withUnixLines(found.body) === withUnixLines(written.body)
  const body = isBodyOurs ? wanted.body : found.body
  const isSame = title === found.title && withUnixLines(body) === withUnixLines(found.body)
  return isSame ? undefined : { title, body }
}

/** Hosts change line ends, and cut blanks off the end. */
const withUnixLines = (text: string) => text.replaceAll('\r\n', '\n').trim()
