import { Badge, Group, Paper, SimpleGrid, Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useSession } from '../app/session.ts'
import { EmptyState } from '../shown/empty-state.tsx'
import { PageHeader } from '../shown/page-header.tsx'
import { RelativeTime } from '../shown/relative-time.tsx'
import { CreateProjectForm } from './create-project-form.tsx'
import { type MyProject, projectsQuery } from './project.ts'
import styles from './projects-page.module.css'

export function ProjectsPage() {
  const { person } = useSession()
  const { projects } = useSuspenseQuery(projectsQuery).data
  const isOperator = person?.isOperator ?? false
  return (
    <>
      <PageHeader title="Projects" lead="A project is a docs repository with its jobs, page views and members." />
      {projects.length > 0 && (
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} mb="xl" component="ul" p={0} m={0}>
          {projects.map((project) => (
            <ProjectCard key={project.id} project={project} />
          ))}
        </SimpleGrid>
      )}
      {isOperator && <CreateProjectForm isFirst={projects.length === 0} />}
      {projects.length === 0 && !isOperator && (
        <EmptyState title="You are not a member of any project yet">
          Ask an owner of a project to invite {person?.email}, or ask an operator of this instance to create a project.
        </EmptyState>
      )}
    </>
  )
}

function ProjectCard({ project: { id, name, createdAt, pausedAt, role } }: { project: MyProject }) {
  return (
    <Paper withBorder p="lg" radius="md" component="li" className={styles.card}>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Text fw={600} size="lg" ff="heading" lh={1.3}>
          <Link to="/projects/$projectId" params={{ projectId: id }} className={styles.name}>
            {name}
          </Link>
        </Text>
        {pausedAt !== null && (
          <Badge color="yellow" variant="light" style={{ flex: 'none' }}>
            Paused
          </Badge>
        )}
      </Group>
      <Text size="sm" c="dimmed" mt="xs">
        You are {role === 'viewer' ? 'a viewer' : `an ${role}`} · created <RelativeTime at={createdAt} />
      </Text>
    </Paper>
  )
}
