import { Text } from '@mantine/core'
import { lazy, Suspense } from 'react'

const SafeMarkdown = lazy(() => import('./safe-markdown.tsx').then(({ SafeMarkdown }) => ({ default: SafeMarkdown })))

/** Markdown that we did not write. Its text is there at once; how it looks comes when the parser has been loaded. */
export function Markdown({ text }: { text: string }) {
  return (
    <Suspense fallback={<Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{text}</Text>}>
      <SafeMarkdown text={text} />
    </Suspense>
  )
}
