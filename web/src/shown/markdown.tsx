import { Text } from '@mantine/core'
import { lazy, Suspense } from 'react'

const SafeMarkdown = lazy(() => import('./safe-markdown.tsx').then(({ SafeMarkdown }) => ({ default: SafeMarkdown })))

/** Untrusted Markdown. Shows the plain text until the parser has been loaded. */
export function Markdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{text}</Text>}>
      <SafeMarkdown text={text} />
    </Suspense>
  )
}
