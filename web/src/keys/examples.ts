/** Examples that run as shown. The API key comes from the environment, so that no secret ends up in a file. */
import { npmNames, sdkPackagePath } from '../../../sdk/npm-names.ts'

export interface ExampleContext {
  /** URL of this instance, for example `https://colophon.example.com`. */
  origin: string
  projectId: string
}

/** The program that runs an example. */
export type ExampleInterpreter = 'bash' | 'node' | 'python3'

export interface ApiExample {
  language: 'curl' | 'TypeScript' | 'JavaScript' | 'Python'
  interpreter: ExampleInterpreter
  /** Whether the client that the instance serves must be installed first. */
  usesClient: boolean
  requirement: string
  text: string
}

/** Installs the client by URL, because nobody owns its name on npm yet. */
export const renderClientInstallCommand = ({ origin }: Pick<ExampleContext, 'origin'>): string =>
  `npm install ${origin}${sdkPackagePath}`

/** The variables that all examples read. */
export const renderEnvironmentExample = ({
  origin,
  projectId,
}: ExampleContext): string => `export COLOPHON_URL="${origin}"
export COLOPHON_PROJECT_ID="${projectId}"
export COLOPHON_API_KEY="colophon_…"
`

const prompt = 'Fix the dead links in the install guide.'

const curl = `# Create a job. With an Idempotency-Key, a retry does not create a second one.
curl -sS --fail-with-body --retry 3 "$COLOPHON_URL/v2/agent/$COLOPHON_PROJECT_ID/job" \\
  -H "Authorization: Bearer $COLOPHON_API_KEY" -H "Content-Type: application/json" \\
  -H "Idempotency-Key: example-$(date +%s)" \\
  -d '{"prompt": "${prompt}"}' -o job.json
job=$(grep -o '"id":"job_[^"]*"' job.json | cut -d '"' -f 4)

# Poll it until it is no longer active
while curl -sS --fail-with-body "$COLOPHON_URL/v2/agent/$COLOPHON_PROJECT_ID/job/$job" \\
    -H "Authorization: Bearer $COLOPHON_API_KEY" -o job.json &&
  grep -q '"status":"active"' job.json
do sleep 2; done
cat job.json

# Read page views
curl -sS --fail-with-body "$COLOPHON_URL/v1/analytics/$COLOPHON_PROJECT_ID/views?dateFrom=2026-01-01&limit=10" \\
  -H "Authorization: Bearer $COLOPHON_API_KEY"
`

const typescript = `import { createClient } from '${npmNames.sdk}'

const { COLOPHON_URL = '', COLOPHON_PROJECT_ID = '', COLOPHON_API_KEY } = process.env
const client = createClient({ baseUrl: COLOPHON_URL, apiKey: COLOPHON_API_KEY })

// Create a job and wait until it ends. Retries and lost connections do not create a second one.
const job = await client.jobs.createAndWait(
  COLOPHON_PROJECT_ID,
  { prompt: '${prompt}' },
  { onProgress: ({ event }) => console.log(event?.text ?? event?.tool ?? 'created') },
)
console.log(job.status, job.prLink)

// Read page views
const { totals, views } = await client.views.list(COLOPHON_PROJECT_ID, { dateFrom: '2026-01-01', limit: 10 })
console.log(totals)
for (const { path, human, ai } of views) console.log(path, human, ai)
`

const javascript = `import { randomUUID } from 'node:crypto'

const { COLOPHON_URL, COLOPHON_PROJECT_ID, COLOPHON_API_KEY } = process.env

async function call(path, { method = 'GET', headers = {}, body } = {}) {
  const response = await fetch(COLOPHON_URL + path, {
    method,
    headers: { Authorization: \`Bearer \${COLOPHON_API_KEY}\`, 'Content-Type': 'application/json', ...headers },
    body: body && JSON.stringify(body),
  })
  if (!response.ok) throw new Error(\`\${response.status}: \${await response.text()}\`)
  return response.json()
}

// Create a job. With an Idempotency-Key, a retry does not create a second one.
const jobs = \`/v2/agent/\${COLOPHON_PROJECT_ID}/job\`
let job = await call(jobs, {
  method: 'POST',
  headers: { 'Idempotency-Key': randomUUID() },
  body: { prompt: '${prompt}' },
})

// Poll it until it is no longer active
while (job.status === 'active') {
  await new Promise((resolve) => setTimeout(resolve, 2000))
  job = await call(\`\${jobs}/\${job.id}\`)
}
console.log(job.status, job.prLink)

// Read page views
const { totals, views } = await call(\`/v1/analytics/\${COLOPHON_PROJECT_ID}/views?dateFrom=2026-01-01&limit=10\`)
console.log(totals)
for (const { path, human, ai } of views) console.log(path, human, ai)
`

const python = `import json, os, time, uuid
from urllib.request import Request, urlopen

project = os.environ["COLOPHON_PROJECT_ID"]

def call(path, body=None, headers={}):
    headers = {"Authorization": f"Bearer {os.environ['COLOPHON_API_KEY']}", "Content-Type": "application/json", **headers}
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(os.environ["COLOPHON_URL"] + path, data, headers), timeout=30) as response:
        return json.load(response)

# Create a job. With an Idempotency-Key, a retry does not create a second one.
job = call(
    f"/v2/agent/{project}/job",
    {"prompt": "${prompt}"},
    {"Idempotency-Key": str(uuid.uuid4())},
)

# Poll it until it is no longer active
while job["status"] == "active":
    time.sleep(2)
    job = call(f"/v2/agent/{project}/job/{job['id']}")
print(job["status"], job["prLink"])

# Read page views
result = call(f"/v1/analytics/{project}/views?dateFrom=2026-01-01&limit=10")
print(result["totals"])
for page in result["views"]:
    print(page["path"], page["human"], page["ai"])
`

export const apiExamples: readonly ApiExample[] = [
  {
    language: 'curl',
    interpreter: 'bash',
    usesClient: false,
    requirement: 'For bash, with curl 7.76 or newer.',
    text: curl,
  },
  {
    language: 'TypeScript',
    interpreter: 'node',
    usesClient: true,
    requirement:
      'For Node.js 20 or newer, Deno or Bun. Install the client of this instance, save the example as example.mjs and run “node example.mjs”.',
    text: typescript,
  },
  {
    language: 'JavaScript',
    interpreter: 'node',
    usesClient: false,
    requirement: 'For Node.js 18 or newer, without dependencies. Save it as example.mjs and run “node example.mjs”.',
    text: javascript,
  },
  {
    language: 'Python',
    interpreter: 'python3',
    usesClient: false,
    requirement: 'For Python 3.8 or newer, without dependencies.',
    text: python,
  },
]

/** Sends one AI view, as the server of a site does: an assistant that requested a page for a user. */
export const renderAiViewExample = ({
  origin,
  projectId,
}: ExampleContext): string => `curl "${origin}/v1/ingest/${projectId}/views" \\
  -H "Authorization: Bearer $COLOPHON_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"views": [{"path": "/docs/start", "userAgent": "ChatGPT-User/1.0"}]}'
`

/** For the head of every page of the site. */
export const renderScriptTag = ({ origin, siteKey }: { origin: string; siteKey: string }): string =>
  `<script defer src="${origin}/colophon.js" data-site="${siteKey}"></script>`
