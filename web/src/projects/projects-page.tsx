import { Badge, Group, Paper, SimpleGrid, Text } from '@mantine/core'
import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useSession } from '../app/session.ts'
import { Ago } from '../shown/ago.tsx'
import { EmptyState } from '../shown/empty-state.tsx'
import { PageHeader } from '../shown/page-header.tsx'
import { NewProject } from './new-project.tsx'
import { type ProjectOfMine, projectsQuery } from './project.ts'
import styles from './projects-page.module.css'

export function ProjectsPage() {
  const { person } = useSession()
  const { projects } = useSuspenseQuery(projectsQuery).data
  const isOperator = person?.isOperator ?? false
  return (
    <>
      <PageHeader title="Projects" lead="One for each repository of docs: its jobs, its views, its people." />
      {projects.length > 0 && (
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} mb="xl" component="ul" p={0} m={0}>
          {projects.map((project) => (
            <ProjectCard key={project.id} project={project} />
          ))}
        </SimpleGrid>
      )}
      {isOperator && <NewProject isFirst={projects.length === 0} />}
      {projects.length === 0 && !isOperator && (
        <EmptyState title="You are in no project yet">
          Ask an owner of a project to invite {person?.email}. Whoever runs this installation can make a new project.
        </EmptyState>
      )}
    </>
  )
}

function ProjectCard({ project: { id, name, createdAt, pausedAt, role } }: { project: ProjectOfMine }) {
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
        You are {role === 'viewer' ? 'a viewer' : `an ${role}`} · made <Ago at={createdAt} />
      </Text>
    </Paper>
  )
}
