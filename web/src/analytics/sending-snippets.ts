/** Code and commands that report page views, with the URL of this instance and the ID of the project filled in. */

interface SnippetContext {
  /** URL of this instance, for example `https://colophon.example.com`. */
  origin: string
  projectId: string
}

/** Reads the URL before routing, because Express changes `path` and `url` inside mounted routers. */
export const renderExpressSnippet = ({
  origin,
  projectId,
}: SnippetContext): string => `// Express: add this before all other middleware and routes.
app.use((request, response, next) => {
  const { method, originalUrl, headers } = request
  response.once('finish', () => {
    const view = {
      path: originalUrl,
      method,
      status: response.statusCode,
      userAgent: headers['user-agent'] ?? '',
      accept: headers.accept ?? '',
      prefetch: /prefetch/.test(headers['sec-purpose']),
    }
    fetch('${origin}/v1/ingest/${projectId}/views', {
      method: 'POST',
      headers: { authorization: \`Bearer \${process.env.COLOPHON_API_KEY}\`, 'content-type': 'application/json' },
      body: JSON.stringify({ views: [view] }),
    }).catch((error) => console.error('Colophon is unreachable:', error))
  })
  next()
})
`

const logFiles = '/var/log/nginx/docs.access.log*'

/** The logs are mounted under the same path, so that the shell of the host can expand the pattern. */
export const renderContainerImportCommand = (projectId: string): string =>
  `docker compose -f deploy/compose.yml run --rm -T -v /var/log/nginx:/var/log/nginx:ro api \\
  import-logs --project ${projectId} ${logFiles}
`

export const renderCheckoutImportCommand = (projectId: string): string =>
  `npx colophon-server import-logs --project ${projectId} ${logFiles}
`
