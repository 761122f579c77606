/**
 * Renders untrusted Markdown, from the agent or the repository. HTML is shown as text. Images are named and never loaded,
 * because their URLs could leak what the agent read. Only http(s) and mailto links are links.
 */
import { Anchor, Typography } from '@mantine/core'
import ReactMarkdown, { type Components } from 'react-markdown'

const allowedUrl = /^(https?:\/\/|mailto:)/i

/** Below the headings of the page around it. */
const lowerHeadings = { h1: 'h4', h2: 'h5', h3: 'h6', h4: 'h6', h5: 'h6', h6: 'h6' } as const satisfies Components

const components: Components = {
  ...lowerHeadings,
  a: ({ href, children }) =>
    href ? (
      <Anchor
        href={href}
        inherit
        style={{ textDecoration: 'underline' }}
        target="_blank"
        rel="noopener noreferrer nofollow"
      >
        {children}
      </Anchor>
    ) : (
      <span>{children}</span>
    ),
  img: ({ alt }) => <em>[image{alt ? `: ${alt}` : ''}]</em>,
  // Wrapped, because horizontal scrolling is hard on a phone and with the keyboard.
  pre: ({ children }) => <pre style={{ whiteSpace: 'pre-wrap' }}>{children}</pre>,
}

export function SafeMarkdown({ text }: { text: string }) {
  return (
    <Typography style={{ overflowWrap: 'anywhere' }}>
      <ReactMarkdown urlTransform={(url) => (allowedUrl.test(url) ? url : null)} components={components}>
        {text}
      </ReactMarkdown>
    </Typography>
  )
}
