import type { TaskRecord } from '@fractus/compute-db';
import { internal } from '@fractus/objects';
import { actionOfTask } from '@fractus/server-lifecycle';
import { type Step, type StepWork, type TaskDefinition, UNDO, undoName } from './task-definition';

export interface Position {
  readonly step: Step;
  readonly work: StepWork;
  readonly undoing: boolean;
}

/** The tasks that this conductor knows, checked at start. */
export class TaskRegistry {
  private readonly byType = new Map<string, TaskDefinition>();

  constructor(readonly definitions: readonly TaskDefinition[]) {
    for (const definition of definitions) this.add(definition);
  }

  get(type: string): TaskDefinition {
    const definition = this.byType.get(type);
    if (!definition) throw internal(`no task ${type} is known`, { code: 'task.unknown' });
    return definition;
  }

  /** Where a task stands; a new one stands at its first step. */
  position(task: TaskRecord): Position {
    const { steps } = this.get(task.type);
    const undoing = task.direction === 'undo';
    const name = undoing ? task.step.slice(0, -UNDO.length) : task.step;
    const step = name === '' ? steps[0] : steps.find((s) => s.name === name);
    if (!step) throw internal(`task ${task.type} has no step ${task.step}`, { code: 'task.step' });
    const work = undoing ? step.undo : step.do;
    if (!work) throw internal(`step ${step.name} of ${task.type} has nothing to undo`, { code: 'task.step' });
    return { step, work, undoing };
  }

  /** The step after `step`, or null at the end. */
  after(task: TaskRecord, step: Step): string | null {
    const { steps } = this.get(task.type);
    return steps[steps.indexOf(step) + 1]?.name ?? null;
  }

  /** The undoing of the last step at or before `step` that has one, or null. `inclusive`: of `step` too. */
  undoFrom(task: TaskRecord, step: Step, inclusive: boolean): string | null {
    const { steps } = this.get(task.type);
    const end = steps.indexOf(step) + (inclusive ? 1 : 0);
    const last = steps.slice(0, end).findLast((s) => s.undo !== null);
    return last ? undoName(last.name) : null;
  }

  private add(definition: TaskDefinition): void {
    const { type, steps } = definition;
    const wrong = (why: string): never => {
      throw internal(`task ${type}: ${why}`, { code: 'task.definition' });
    };
    if (this.byType.has(type)) wrong('declared twice');
    if (!actionOfTask(type)) wrong('no action of the lifecycle table leads to it');
    if (steps.length === 0) wrong('has no steps');
    const names = steps.map((s) => s.name);
    if (new Set(names).size !== names.length) wrong('two steps of one name');
    if (names.some((n) => n === '' || n.includes(':'))) wrong('a step name is empty or has a colon');
    for (const step of steps) {
      const waits = [step.do, step.undo].some((work) => work?.answered);
      if (waits !== step.silenceSeconds > 0) wrong(`step ${step.name} must have a silence limit exactly when it waits`);
    }
    this.byType.set(type, definition);
  }
}
