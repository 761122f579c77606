import { ColophonError, type CreateJobData } from '@colophon/sdk'
import {
  Button,
  Checkbox,
  Collapse,
  Container,
  Group,
  Paper,
  Radio,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { getHotkeyHandler, useDisclosure } from '@mantine/hooks'
import { IconChevronDown } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type FormEvent, useRef, useState } from 'react'
import { client } from '../app/client.ts'
import { SendOnce } from '../app/send-once.ts'
import { mayWork, useProject } from '../projects/project.ts'
import { EmptyState } from '../shown/empty-state.tsx'
import { PageHeader } from '../shown/page-header.tsx'
import { ModelChoice } from './model-choice.tsx'
import { Refusal } from './refusal.tsx'

type Wanted = CreateJobData['body']

const route = getRouteApi('/signed-in/projects/$projectId/jobs/new')

export function NewJobPage() {
  const project = useProject()
  return (
    <Container size="sm" px={0} ml={0}>
      <PageHeader
        title="New job"
        lead="Say what should change. The agent reads the repository, changes pages and checks them."
      />
      {mayWork(project) ? (
        <NewJobForm projectId={project.id} />
      ) : (
        <EmptyState title="You can look at jobs, not create them">
          Ask an owner of the project to make you an editor.
        </EmptyState>
      )}
    </Container>
  )
}

function NewJobForm({ projectId }: { projectId: string }) {
  const navigate = route.useNavigate()
  const queryClient = useQueryClient()
  const [wanted, setWanted] = useState<Wanted>({ prompt: '', publish: 'pull_request' })
  const [isMoreOpen, more] = useDisclosure(false)
  const once = useRef(new SendOnce())
  const create = useMutation({
    mutationFn: (body: Wanted) => client.jobs.create(projectId, body, { idempotencyKey: once.current.keyFor(body) }),
    onSuccess: ({ id }) => {
      void queryClient.invalidateQueries({ queryKey: ['jobs', projectId] })
      void navigate({ to: '/projects/$projectId/jobs/$jobId', params: { projectId, jobId: id } })
    },
    onError: (error) => {
      if (fieldsOf(error).some((field) => field === 'ref' || field === 'title')) more.open()
    },
  })
  const change = (part: Partial<Wanted>) => setWanted((before) => ({ ...before, ...part }))
  const errorAt = (field: keyof Wanted) => fieldError(create.error, field)
  const hasFieldErrors = fieldsOf(create.error).some((field) => shownFields.includes(field))
  const submit = (event?: FormEvent) => {
    event?.preventDefault()
    if (!create.isPending && wanted.prompt.trim() !== '') create.mutate(withoutEmpty(wanted))
  }

  return (
    <Paper withBorder p={{ base: 'md', sm: 'lg' }} component="form" onSubmit={submit}>
      <Stack gap="lg">
        <Textarea
          label="What should the agent do?"
          placeholder="Explain in the quickstart how to pass a proxy, with an example for Docker."
          autosize
          minRows={6}
          maxRows={20}
          maxLength={50_000}
          required
          autoFocus
          value={wanted.prompt}
          onChange={({ currentTarget: { value } }) => change({ prompt: value })}
          onKeyDown={getHotkeyHandler([['mod+Enter', () => submit()]])}
          error={errorAt('prompt')}
        />
        <ModelChoice
          projectId={projectId}
          model={wanted.model ?? ''}
          onChange={(model) => change({ model })}
          error={errorAt('model')}
        />
        <Radio.Group
          label="What comes of it"
          value={wanted.publish ?? 'pull_request'}
          onChange={(publish) => change({ publish: publish === 'diff' ? 'diff' : 'pull_request' })}
          error={errorAt('publish')}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="pull_request" label="A pull request" description="On a branch of its own, for review." />
            <Radio value="diff" label="Only a diff" description="Nothing is pushed: look at it here first." />
          </Stack>
        </Radio.Group>
        {wanted.publish !== 'diff' && (
          <Checkbox
            label="Open the pull request as a draft"
            checked={wanted.draft ?? false}
            onChange={({ currentTarget: { checked } }) => change({ draft: checked })}
          />
        )}
        <div>
          <Button
            variant="subtle"
            size="compact-sm"
            ml={-8}
            onClick={more.toggle}
            aria-expanded={isMoreOpen}
            rightSection={<IconChevronDown size={14} aria-hidden style={{ rotate: isMoreOpen ? '180deg' : '0deg' }} />}
          >
            More
          </Button>
          <Collapse expanded={isMoreOpen}>
            <Stack gap="md" mt="sm">
              <TextInput
                label="Branch to work from"
                description="The project's base branch unless given."
                value={wanted.ref ?? ''}
                maxLength={200}
                onChange={({ currentTarget: { value } }) => change({ ref: value })}
                error={errorAt('ref')}
              />
              <TextInput
                label="Title"
                description="Of the job and its pull request. The agent finds one unless given."
                value={wanted.title ?? ''}
                maxLength={200}
                onChange={({ currentTarget: { value } }) => change({ title: value })}
                error={errorAt('title')}
              />
            </Stack>
          </Collapse>
        </div>
        {!hasFieldErrors && <Refusal projectId={projectId} error={create.error} title="The job was not created" />}
        <Group justify="space-between">
          <Text size="sm" c="dimmed" visibleFrom="sm">
            Ctrl + Enter starts it, too.
          </Text>
          <Button type="submit" loading={create.isPending} disabled={wanted.prompt.trim() === ''}>
            Start the job
          </Button>
        </Group>
      </Stack>
    </Paper>
  )
}

const shownFields: readonly string[] = ['prompt', 'model', 'publish', 'ref', 'title'] satisfies (keyof Wanted)[]

const fieldsOf = (error: unknown): string[] =>
  error instanceof ColophonError ? error.errors.map(({ path }) => path.replace('body/', '')) : []

function fieldError(error: unknown, field: keyof Wanted): string | undefined {
  if (!(error instanceof ColophonError)) return undefined
  const found = error.errors.find(({ path }) => path === `body/${field}`)
  return found && (field === 'ref' ? 'This is not a name that a branch can have.' : sentence(found.message))
}

const sentence = (text: string) => `This ${text.replace(/\.?$/, '.')}`

const withoutEmpty = ({ ref, title, draft, model, ...rest }: Wanted): Wanted => ({
  ...rest,
  ...(model && { model }),
  ...(ref?.trim() && { ref: ref.trim() }),
  ...(title?.trim() && { title: title.trim() }),
  ...(draft && rest.publish !== 'diff' && { draft }),
})
