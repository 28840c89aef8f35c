import { Component, type ReactNode } from "react";

type Given = {
  /** Another value clears the error. */
  at: string;
  fault: (error: unknown, reset: () => void) => ReactNode;
  children: ReactNode;
};

/** Shows an error of the parts inside in their place. */
export class Boundary extends Component<Given, { caught: { error: unknown } | null }> {
  override state = { caught: null as { error: unknown } | null };

  static getDerivedStateFromError(error: unknown) {
    return { caught: { error } };
  }

  override componentDidUpdate({ at }: Given) {
    if (at !== this.props.at && this.state.caught !== null) this.setState({ caught: null });
  }

  override render() {
    const { caught } = this.state;
    return caught === null
      ? this.props.children
      : this.props.fault(caught.error, () => this.setState({ caught: null }));
  }
}
