/** The Python client, synchronous and asynchronous, in the wheel that the instance serves. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type CodeBlock, parseCodeBlocks } from '../../checks/code-blocks.ts'
import { packWheel, replaceServedWheel } from '../../python/build.ts'
import { pythonDistributionName, pythonRequirementsPath } from '../../python/distribution.ts'
import { toSynchronous } from '../../python/generate.ts'
import { runCommand } from '../../testing/services/run-command.ts'
import type { ReadmeExample, TestedClient } from './tested-client.ts'

const asynchronousScenario = `
import json, os, sys
import anyio
from colophon_client import AsyncColophon, JobProgress

project_id = os.environ["COLOPHON_PROJECT_ID"]
client = AsyncColophon(os.environ["COLOPHON_URL"], os.environ["COLOPHON_API_KEY"])

def ready(name):
    print("ready " + name, flush=True)
    sys.stdin.readline()

def done(name, result):
    print("done " + name + " " + json.dumps(result), flush=True)

async def wait(job_id, after=None):
    event_ids = []
    def report(progress: JobProgress):
        event_ids.append(progress.event["id"])
    job = await client.jobs.wait(project_id, job_id, after=after, on_progress=report)
    return {"status": job["status"], "prLink": job["prLink"], "eventIds": event_ids}

async def main():
    ready("create")
    job_id = (await client.jobs.create(project_id, {"prompt": os.environ["FIRST_PROMPT"]}))["id"]
    done("create", {"jobId": job_id})
    ready("wait")
    first = await wait(job_id)
    done("wait", first)
    ready("message")
    await client.jobs.send_message(project_id, job_id, {"prompt": os.environ["SECOND_PROMPT"]})
    done("message", {})
    ready("wait again")
    done("wait again", await wait(job_id, first["eventIds"][-1]))
    ready("diff")
    done("diff", {"diff": (await client.jobs.diff(project_id, job_id))["diff"]})
    ready("send views")
    await client.views.ingest(project_id, {"views": [{"path": "/docs/start", "userAgent": "ChatGPT-User/1.0"}]})
    done("send views", {})
    ready("read views")
    while True:
        total = (await client.views.list(project_id).page())["totals"]["total"]
        if total > 0:
            break
        await anyio.sleep(0.5)
    done("read views", {"total": total})
    await client.aclose()

anyio.run(main)
`

const synchronousScenario = toSynchronous(asynchronousScenario)
  .replace('import json, os, sys', 'import json, os, sys, time')
  .replace('anyio.run(main)', 'main()')

const environmentOf = (directory: string) => join(directory, 'environment')
const pythonOf = (directory: string) => join(environmentOf(directory), 'bin/python')

const createPythonClient = (
  name: string,
  scenario: string,
  isTestedExample: (example: CodeBlock) => boolean,
): TestedClient => ({
  name,

  async build() {
    replaceServedWheel(packWheel())
  },

  async install(directory, instanceUrl) {
    await runCommand(['python3', '-m', 'venv', environmentOf(directory)])
    const pip = [pythonOf(directory), '-m', 'pip', '--quiet', '--disable-pip-version-check']
    await runCommand([...pip, 'install', '-r', instanceUrl + pythonRequirementsPath], { cwd: directory })
  },

  async prepareScenario(directory) {
    await writeFile(join(directory, 'scenario.py'), scenario)
    return [pythonOf(directory), 'scenario.py']
  },

  async prepareExamples(directory) {
    const readReadme = `import importlib.metadata; print(importlib.metadata.metadata("${pythonDistributionName}").get_payload())`
    const readme = await runCommand([pythonOf(directory), '-c', readReadme])
    const blocks = parseCodeBlocks('README.md', readme).filter(({ language }) => language === 'python')
    const examples: ReadmeExample[] = []
    for (const [index, block] of blocks.entries()) {
      const file = index === 0 ? 'settings.py' : `example_${index}.py` // the others import the first one
      await writeFile(join(directory, file), block.text)
      const prints = block.text.includes('client.jobs.create') ? /\bcompleted\b/ : /(?:)/
      if (isTestedExample(block)) examples.push({ name: block.name, command: [pythonOf(directory), file], prints })
    }
    return examples
  },
})

const isAsynchronous = ({ text }: CodeBlock) => text.includes('AsyncColophon')

export const pythonClients: readonly TestedClient[] = [
  createPythonClient('Python', synchronousScenario, (example) => !isAsynchronous(example)),
  createPythonClient('Python, asynchronous', asynchronousScenario, isAsynchronous),
]
