import { api, type ClusterState, type Edit, type State } from './api';

/** The clusters as they are now, and the one way to change them: whoever shows them is told. */
export class Desk {
  private readonly listeners: ((state: State) => void | Promise<void>)[] = [];
  private readonly sayers: ((text: string, wrong: boolean) => void)[] = [];

  constructor(public state: State) {}

  onChange(listener: (state: State) => void | Promise<void>): void {
    this.listeners.push(listener);
  }

  onSay(sayer: (text: string, wrong: boolean) => void): void {
    this.sayers.push(sayer);
  }

  say(text: string, wrong = false): void {
    for (const sayer of this.sayers) sayer(text, wrong);
  }

  edit(edit: Edit, done: string): Promise<boolean> {
    return this.change(() => api.edit(edit), done);
  }

  undo(): Promise<boolean> {
    return this.change(api.undo, 'Undone');
  }

  redo(): Promise<boolean> {
    return this.change(api.redo, 'Done again');
  }

  /** Says `done` when it is on the disk, or what went wrong. */
  async change(action: () => Promise<State>, done: string): Promise<boolean> {
    try {
      this.state = await action();
    } catch (error) {
      this.say((error as Error).message, true);
      return false;
    }
    await Promise.all(this.listeners.map((listener) => listener(this.state)));
    this.say(done);
    return true;
  }

  cluster(id: number): ClusterState | undefined {
    return this.state.clusters.find((cluster) => cluster.id === id);
  }

  nameOf(id: number): string {
    return this.cluster(id)?.name ?? (id < 0 ? 'no cluster' : id === this.state.next ? 'a new cluster' : `cluster ${id}`);
  }
}
