/** Ready to run, with the project's own id and the service's own address. The key comes from the environment: no secret in a file. */

export interface ExampleOf {
  /** Where the service answers, like `https://colophon.example.com`. */
  origin: string
  projectId: string
}

/** The program that runs it as it stands. */
export type Runs = 'bash' | 'node' | 'python3'

export interface Example {
  language: 'curl' | 'TypeScript' | 'Python'
  runs: Runs
  /** What must be there first, where anything must. */
  first?: string
  text: string
}

const prompt = 'Fix the dead links in the install guide.'

const curl = ({ origin, projectId }: ExampleOf) => `colophon="${origin}"
project="${projectId}"

# Create a job
curl -sS --fail-with-body "$colophon/v2/agent/$project/job" \\
  -H "Authorization: Bearer $COLOPHON_API_KEY" -H "Content-Type: application/json" \\
  -d '{"prompt": "${prompt}"}' -o job.json
job=$(grep -o '"id":"job_[^"]*"' job.json | cut -d '"' -f 4)

# Poll it until it is no longer active
while curl -sS --fail-with-body "$colophon/v2/agent/$project/job/$job" \\
    -H "Authorization: Bearer $COLOPHON_API_KEY" -o job.json &&
  grep -q '"status":"active"' job.json
do sleep 2; done
cat job.json

# Read page views
curl -sS --fail-with-body "$colophon/v1/analytics/$project/views?dateFrom=2026-01-01&limit=10" \\
  -H "Authorization: Bearer $COLOPHON_API_KEY"
`

const typescript = ({ origin, projectId }: ExampleOf) => `import { createClient } from '@colophon/sdk'

const client = createClient({ baseUrl: '${origin}', apiKey: process.env.COLOPHON_API_KEY })
const projectId = '${projectId}'

// Create a job
let job = await client.jobs.create(projectId, { prompt: '${prompt}' })

// Poll it until it is no longer active
while (job.status === 'active') {
  await new Promise((resolve) => setTimeout(resolve, 2000))
  job = await client.jobs.get(projectId, job.id)
}
console.log(job.status, job.prLink)

// Read page views
const { totals, views } = await client.views.list(projectId, { dateFrom: '2026-01-01', limit: 10 })
console.log(totals)
for (const { path, human, ai } of views) console.log(path, human, ai)
`

const python = ({ origin, projectId }: ExampleOf) => `import json, os, time
from urllib.request import Request, urlopen

base = "${origin}"
project = "${projectId}"

def call(path, body=None):
    headers = {"Authorization": f"Bearer {os.environ['COLOPHON_API_KEY']}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(base + path, data, headers), timeout=30) as answer:
        return json.load(answer)

# Create a job
job = call(f"/v2/agent/{project}/job", {"prompt": "${prompt}"})

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

export const examplesFor = (of: ExampleOf): readonly Example[] => [
  { language: 'curl', runs: 'bash', text: curl(of) },
  { language: 'TypeScript', runs: 'node', first: 'npm install @colophon/sdk', text: typescript(of) },
  { language: 'Python', runs: 'python3', text: python(of) },
]

/** What a site's server tells of one reader: here an assistant that read a page for somebody. */
export const aiViewExample = ({
  origin,
  projectId,
}: ExampleOf): string => `curl "${origin}/v1/ingest/${projectId}/views" \\
  -H "Authorization: Bearer $COLOPHON_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"views": [{"path": "/docs/start", "userAgent": "ChatGPT-User/1.0"}]}'
`

/** For the head of every page of the site. */
export const scriptTag = ({ origin, siteKey }: { origin: string; siteKey: string }): string =>
  `<script defer src="${origin}/colophon.js" data-site="${siteKey}"></script>`
